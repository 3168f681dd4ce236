"""Generated source read as text: a list of assignments that Python can evaluate and inspect.

C, Fortran and the listings of the sources share infix arithmetic with Python; what differs
(indices, exponents, broken lines) is translated, then Python's own parser takes over. No compiler
is needed, and nothing of the emitters is used.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "sqrt", "hypot", "atan2")}


class Assignment(NamedTuple):
    target: str
    value: ast.expr


def read_c(text: str) -> list[Assignment]:
    """The statements of the one function of a C file."""
    body = re.sub(r"\s+", " ", text[text.index("{") + 1 : text.rindex("}")])
    found = re.findall(r"(?:const double )?([\w\[\]]+) = ([^;]+);", body)
    return [Assignment(target, _parsed(value)) for target, value in found]


def read_fortran(text: str) -> list[Assignment]:
    """The statements of the one subroutine of a free-form Fortran file, indices from 0."""
    joined = re.sub(r"\s*&\n\s*", " ", text)
    found = re.findall(r"^ *(\w+(?:\(\d+\))?) = (.*)$", joined, flags=re.MULTILINE)
    return [Assignment(_indexed(target), _parsed(_doubles(_indexed(v)))) for target, v in found]


def read_listing(text: str) -> list[Assignment]:
    """Lines ``NAME=expression`` of plain scalars."""
    pairs = (line.split("=") for line in text.split())
    return [Assignment(target, _parsed(value)) for target, value in pairs]


def _parsed(value: str) -> ast.expr:
    return ast.parse(value.strip(), mode="eval").body


def _indexed(text: str) -> str:
    return re.sub(r"\b(\w+)\((\d+)\)", lambda m: f"{m[1]}[{int(m[2]) - 1}]", text)


def _doubles(text: str) -> str:
    return re.sub(r"\b(\d+(?:\.\d+)?)d([+-]?\d+)", r"\1e\2", text)


def run(assignments: list[Assignment], known: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all targets; elements of arrays go to the arrays in ``known``."""
    scope = {**FUNCTIONS, **known}
    for target, value in assignments:
        code = compile(ast.Expression(value), "assignment", "eval")
        scope["assigned"] = eval(code, {"__builtins__": {}}, scope)
        exec(f"{target} = assigned", {"__builtins__": {}}, scope)
    return scope


def count(assignments: list[Assignment]) -> tuple[int, int]:
    """Multiplications and additions as they stand in the text; signs are free."""
    ops = [type(node.op) for node in _operations(assignments)]
    assert set(ops) <= {ast.Mult, ast.Add, ast.Sub}
    return ops.count(ast.Mult), ops.count(ast.Add) + ops.count(ast.Sub)


def flaws(assignments: list[Assignment]) -> list[str]:
    """What a careful programmer would not have written: neutral, dead or repeated operations."""
    found = []
    seen: Counter[tuple[str, ...]] = Counter()
    for node in _operations(assignments):
        sides = (_unsigned(node.left), _unsigned(node.right))
        neutral = ("0", "0.0", "1", "1.0") if isinstance(node.op, ast.Mult) else ("0", "0.0")
        if any(side in neutral for side in sides):
            found.append(f"neutral: {ast.unparse(node)}")
        # a - b and b - a are one operation; so are (-a)*b and a*b
        kind = "product" if isinstance(node.op, ast.Mult) else _kind_of_sum(node)
        seen[(kind, *sorted(sides))] += 1
    found += [f"repeated: {operation}" for operation, times in seen.items() if times > 1]
    for target, times in Counter(target for target, _ in assignments).items():
        if times > 1:
            found.append(f"assigned {times} times: {target}")
    read = {
        name.id
        for _, value in assignments
        for name in ast.walk(value)
        if isinstance(name, ast.Name)
    }
    found += [f"dead: {t}" for t, _ in assignments if "[" not in t and t not in read]
    return found


def _operations(assignments: list[Assignment]) -> list[ast.BinOp]:
    return [
        node for _, value in assignments for node in ast.walk(value) if isinstance(node, ast.BinOp)
    ]


def _unsigned(node: ast.expr) -> str:
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    return ast.unparse(node)


def _kind_of_sum(node: ast.BinOp) -> str:
    signs = [isinstance(side, ast.UnaryOp) for side in (node.left, node.right)]
    return "difference" if isinstance(node.op, ast.Sub) != (signs[0] != signs[1]) else "sum"

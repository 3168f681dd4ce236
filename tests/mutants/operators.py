"""Mutation operators: small faults in the arithmetic and logic of one function.

A mutation replaces the text of one expression, so that the rest of a file keeps its lines. What
people read rather than compute with is left alone: annotations, docstrings, formatted text, errors
and the conditions that only raise them, assertions, logs, representations.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

OPPOSITE: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
TINY, HUGE = 1e-6, 1e12  # constants beyond are tolerances and bounds, where a factor means nothing
SPEAKS = {"print", "warn", "warning", "debug", "info", "echo", "cast", "isinstance", "TypeVar"}
NO_ARITHMETIC = {"strict", "stacklevel", "maxsize", "check", "encoding"}  # keyword arguments
FOR_PEOPLE = re.compile(r"__(repr|str|format|hash|dir)__|_repr_\w+")
INDEX = re.compile(r"[a-z]|[a-z]_|index|row|column")
ATOMS = (ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Tuple, ast.List)
OPERATION = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Subscript)


@dataclass(frozen=True)
class Mutation:
    """One small fault."""

    function: str  # "package.module:Class.method"
    line: int
    kind: str
    before: str  # the expression, as ast writes it
    after: str
    start: int  # bytes of the file that the new text stands for
    end: int
    text: str
    lines: tuple[int, int]  # those that must have been executed: the expression's

    @property
    def change(self) -> str:
        """What it does to an expression, wherever that stands."""
        return f"{self.before} -> {self.after}"

    def applied(self, source: bytes) -> bytes:
        """The file with the fault."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def shown(self, source: bytes) -> tuple[str, str]:
        """The lines it is in, before and after, each as one line."""
        first = source.rfind(b"\n", 0, self.start) + 1
        last = source.find(b"\n", self.end)
        last = len(source) if last < 0 else last
        cut = last + self.start + len(self.text.encode()) - self.end
        before, after = source[first:last], self.applied(source)[first:cut]
        return " ".join(before.decode().split()), " ".join(after.decode().split())


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods of a module by qualified name; what is defined in one belongs to it."""
    named: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}

    def look(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                while prefix + node.name in named:  # a property and its setter
                    node.name += "'"
                named[prefix + node.name] = node
            elif isinstance(node, ast.ClassDef):
                look(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.If):
                look(node.body + node.orelse, prefix)

    look(tree.body, "")
    return named


def mutations(source: bytes, module: str) -> list[Mutation]:
    """All mutations of all functions of a file, in the order of its text."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    made: dict[tuple[int, int, str], Mutation] = {}
    for name, function in functions(tree).items():
        if FOR_PEOPLE.fullmatch(name.rpartition(".")[2]):
            continue
        for site in _sites(function):
            node = site.node
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            for kind, new in _changed(site):
                before, after = _written(node, site), _written(new, site)
                if after == before:
                    continue
                enclosed = source[start - 1 : start] + source[end : end + 1] == b"()"
                bare = enclosed or site.in_index or not isinstance(site.parent, OPERATION)
                text = after if bare or isinstance(new, ATOMS) else f"({after})"
                mutation = Mutation(
                    function=f"{module}:{name}",
                    line=node.lineno,
                    kind=kind,
                    before=before,
                    after=after,
                    start=start,
                    end=end,
                    text=text,
                    lines=site.lines,
                )
                made.setdefault((start, end, text), mutation)
    return sorted(made.values(), key=lambda mutation: (mutation.start, mutation.text))


@dataclass(frozen=True)
class _Site:
    """An expression that may be changed."""

    node: ast.expr | ast.AugAssign
    parent: ast.AST
    in_index: bool
    lines: tuple[int, int]


def _sites(function: ast.AST) -> Iterator[_Site]:
    """Expressions that compute something, with where they stand."""

    def walk(
        node: ast.AST, parent: ast.AST, index: bool, lines: tuple[int, int]
    ) -> Iterator[_Site]:
        if _is_for_people(node):
            return
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            lines = (node.lineno, node.end_lineno or node.lineno)
        elif isinstance(node, ast.expr) and (hasattr(parent, "body") or lines == (0, 0)):
            lines = (node.lineno, node.end_lineno or node.lineno)
        if isinstance(node, ast.expr | ast.AugAssign):
            yield _Site(node, parent, index, lines)
        for child, is_index in _children(node, index):
            yield from walk(child, node, is_index, lines)

    for statement in function.body:  # type: ignore[attr-defined]
        yield from walk(statement, function, False, (0, 0))


def _children(node: ast.AST, index: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Parts that compute, and whether each is an index."""
    skip: tuple[str, ...] = ("annotation", "returns", "decorator_list", "args", "type_params")
    if isinstance(node, ast.Call):
        skip = ()
    elif isinstance(node, ast.If) and _only_raises(node.body):
        skip = ("test", "body")
    elif isinstance(node, ast.match_case):
        skip = ("pattern",)
    elif isinstance(node, ast.excepthandler):
        skip = ("type",)
    for field, value in ast.iter_fields(node):
        if field in skip:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                if isinstance(node, ast.Subscript):
                    yield child, field == "slice"
                else:
                    yield child, index and isinstance(node, ast.Tuple | ast.UnaryOp)


def _is_for_people(node: ast.AST) -> bool:
    """Whether nothing is computed with it: errors, text, types."""
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword):
        return node.arg in NO_ARITHMETIC
    if isinstance(node, ast.Call):
        called = node.func
        name = getattr(called, "attr", getattr(called, "id", ""))
        return name in SPEAKS or name.endswith(("Error", "Warning"))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):  # text put together
        return any(_is_text(part) for part in (node.left, node.right))
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.BitOr)


def _written(node: ast.AST, site: _Site) -> str:
    """The text of an expression. Several indices have no parentheses: slices allow none."""
    text = ast.unparse(ast.fix_missing_locations(node))
    return text[1:-1] if site.in_index and isinstance(node, ast.Tuple) else text


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _only_raises(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Raise) and all(
        isinstance(node, ast.Raise | ast.Assign | ast.Expr) for node in body
    )


def _changed(site: _Site) -> Iterator[tuple[str, ast.AST]]:
    """What may stand instead of an expression, each with the kind of fault."""
    node = site.node
    match node:
        case ast.Constant(value=bool(value)):
            yield "boolean", ast.Constant(not value)
        case ast.Constant(value=int(value)) if site.in_index:
            yield "index", ast.Constant(0 if value == 1 else value + 1)
        case ast.Constant(value=int(value)):
            yield "constant", ast.Constant(value + 1)
        case ast.Constant(value=float(value)) if value == 0.0 or TINY < abs(value) < HUGE:
            yield "constant", ast.Constant(2 * value or 1.0)
        case ast.Name(id=name) if site.in_index and INDEX.fullmatch(name):
            yield "index", ast.BinOp(node, ast.Add(), ast.Constant(1))
        case ast.Tuple(elts=[first, second]) if site.in_index:
            yield "index", ast.Tuple([second, first], node.ctx)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "sign", operand
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "boolean", operand
        case ast.BinOp(left=left, op=op, right=right):
            match op:
                case ast.Add():
                    yield "sign", ast.BinOp(left, ast.Sub(), right)
                    yield "term", left
                case ast.Sub():
                    yield "sign", ast.BinOp(left, ast.Add(), right)
                    yield "term", left
                    yield "order", ast.BinOp(right, op, left)
                case ast.Mult():
                    yield "term", left
                case ast.MatMult() | ast.Div():
                    yield "order", ast.BinOp(right, op, left)
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() as op, value=value):
            other = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
            yield "sign", ast.AugAssign(target, other, value)
        case ast.Compare(left=left, ops=ops, comparators=others):
            for i, op in enumerate(ops):
                if type(op) in OPPOSITE:
                    changed = [*ops[:i], OPPOSITE[type(op)](), *ops[i + 1 :]]
                    yield "comparison", ast.Compare(left, changed, others)
        case ast.BoolOp(op=op, values=values):
            yield "boolean", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.Call(func=ast.Name(id="cross"), args=[first, second, *rest]):
            yield "order", ast.Call(node.func, [second, first, *rest], node.keywords)
        case ast.Call(func=ast.Attribute(value=of, attr="cross"), args=[first, second]):
            yield "order", ast.Call(node.func, [second, first], node.keywords)
        case ast.Call(func=ast.Attribute(value=of, attr="cross"), args=[other]):
            swapped = ast.Attribute(other, "cross", ast.Load())
            yield "order", ast.Call(swapped, [of], node.keywords)

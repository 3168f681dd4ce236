"""Values that comments of documentation state, compared with what the code computes.

A comment behind a statement is a claim:

    print(x, y)          # 0.42 True: the numbers and truths printed, in order, from the first
    print(table)         # a: 3 … 7    "…" leaves out what is printed between
    print(error)         # about 1e-7: at most three times as much or as little
    print(error)         # below 1e-9; "at most" says the same
    x = f(q)             # (100, 6), "shape (100, 6)", "each (100, 6)", "3001 rows"; all targets
    k.operations         # Operations(11 = 5 add …): its representation
    print(names)         # ['a', 'b']: to the letter, as <Kind.A: 'a'> and signatures (q, out=None)

Numbers agree within half a unit of the last digit that the comment shows. A comment on a line of
its own right behind a ``print`` belongs to it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import Any

import numpy as np

NUMBER = r"[-−]?\d+(?:\.\d*)?(?:e[-+]?\d+)?"
TOKEN = re.compile(
    rf"(?:\b(about|below|at most) (?=\d))?(?<![\w.'\"])({NUMBER})(?![\w'\"])"
    r"|\b(True|False|nan)\b|(…)"
)
LETTERS = re.compile(r"(?:<[^…]*>|[\[(]'[^…]*'[\])]|\([^…]*=[^…]*\))")
SHAPE = re.compile(r"(?:^|shape |each )\((\d+(?:, \d+)*),?\)")
ROWS = re.compile(r"^(\d+) rows\b")


class Wrong(AssertionError):
    """A comment that states another value than the code computes."""


def says(comment: str, text: str) -> bool:
    """Whether printed text has the numbers and truths of a comment, in order."""
    if LETTERS.fullmatch(comment):
        return comment == text.strip()
    printed = [match for match in TOKEN.finditer(text) if not match[4]]
    at, skips = 0, False
    for claim in TOKEN.finditer(comment):
        if claim[4]:
            skips = True
            continue
        fits = [k for k, one in enumerate(printed[at:], at) if _fits(claim, one)]
        fits = fits if skips else [k for k in fits if k == at]
        if not fits:
            return False
        at, skips = fits[0] + 1, False
    return True


def _fits(claim: re.Match[str], printed: re.Match[str]) -> bool:
    if claim[3] or printed[3]:
        return claim[3] == printed[3]
    stated, value = (float(one[2].replace("−", "-")) for one in (claim, printed))
    if claim[1] == "about":
        return stated / 3 <= value <= 3 * stated
    if claim[1]:
        return abs(value) <= stated
    if re.fullmatch(r"[-−]?\d+", printed[2]):
        return stated == value
    digits, _, power = claim[2].partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(stated - value) <= 0.5001 * unit


def comments_of(code: str) -> dict[int, tuple[str, bool]]:
    """Comments by line: the text, and whether it stands alone."""
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            alone = not token.line[: token.start[1]].strip()
            found[token.start[0]] = (token.string.lstrip("# "), alone)
    return found


def states_a_value(comment: str) -> bool:
    numbers = any(not match[4] for match in TOKEN.finditer(comment))
    return numbers or LETTERS.fullmatch(comment) is not None


class _Watched(ast.NodeTransformer):
    """Code whose statements with claims show their values."""

    def __init__(self, code: str) -> None:
        self.comments = comments_of(code)
        self.claims: dict[int, str] = {}
        self.rest = {
            line: text
            for line, (text, alone) in self.comments.items()
            if not alone and states_a_value(text)
        }

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        line, call = node.end_lineno or node.lineno, node.value
        printed = isinstance(call, ast.Call) and ast.unparse(call.func) == "print"
        text, alone = self.comments.get(line, ("", False))
        if printed and not text:
            text, alone = self.comments.get(line + 1, ("", False))
            text = text if alone else ""
        if not states_a_value(text) or (
            not printed and isinstance(call, ast.Call) and not SHAPE.search(text)
        ):
            return node
        self._claim(line, text)
        if printed:
            node.value.func = ast.Name("_printed", ast.Load())  # type: ignore[attr-defined]
            node.value.args.insert(0, ast.Constant(line))  # type: ignore[attr-defined]
        else:
            node.value = _call("_shown", line, call)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        line = node.end_lineno or node.lineno
        text, alone = self.comments.get(line, ("", False))
        if alone or not (SHAPE.search(text) or ROWS.search(text)):
            return node
        self._claim(line, text)
        target = node.targets[0]
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        read = [ast.parse(ast.unparse(part), mode="eval").body for part in parts]
        return [node, *(ast.Expr(_call("_shown", line, part)) for part in read)]

    def _claim(self, line: int, text: str) -> None:
        self.claims[line] = text
        self.rest.pop(line, None)


def _call(name: str, line: int, value: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(line), value], [])


def unchecked(code: str) -> list[str]:
    """Comments with numbers that no rule compares with a value."""
    watched = _Watched(code)
    watched.visit(ast.parse(code))
    return list(watched.rest.values())


def run(code: str) -> list[str]:
    """Run code; return its claims that are wrong, each with what came instead."""
    watched = _Watched(code)
    tree = ast.fix_missing_locations(watched.visit(ast.parse(code)))
    came: dict[int, list[str]] = {line: [] for line in watched.claims}
    right: set[int] = set()
    wrong: set[int] = set()

    def note(line: int, text: str, fits: bool) -> None:
        came[line].append(text)
        right.add(line) if fits else None

    def _printed(line: int, *values: Any, **options: Any) -> None:
        said = io.StringIO()
        print(*values, **{**options, "file": said})
        note(line, said.getvalue(), says(watched.claims[line], said.getvalue()))

    def _shown(line: int, value: Any) -> None:
        claim = watched.claims[line]
        if shape := SHAPE.search(claim):
            sizes = tuple(map(int, shape[1].split(", ")))
            shapes = [np.shape(part) for part in (value if isinstance(value, tuple) else [value])]
            note(line, f"shapes {shapes}", True)
            wrong.update({line} if any(each != sizes for each in shapes) else ())
        elif rows := ROWS.search(claim):
            note(line, f"{len(value)} rows", len(value) == int(rows[1]))
        else:
            note(line, repr(value), says(claim, repr(value)))

    names = {"__name__": "block", "_printed": _printed, "_shown": _shown}
    exec(compile(tree, "block", "exec", dont_inherit=True), names)
    return [
        f"# {claim}: {' | '.join(came[line][:3]) or 'never executed'}"
        for line, claim in watched.claims.items()
        if line not in right - wrong
    ]

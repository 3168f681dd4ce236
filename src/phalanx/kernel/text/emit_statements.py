"""Readable assignments from a graph, for any language with infix arithmetic.

Policy: a value has a statement of its own if it has a name, if more than one value reads it, or if
its expression would grow too long; everything else stands in line where it is used. Signs are moved
outwards, where they cost nothing. Rounding is that of the graph, operation by operation:
parentheses stand wherever the language would associate otherwise.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from phalanx.kernel.graph.graph import Element, Graph, Node
from phalanx.kernel.graph.named_graph import NamedGraph

# how tightly an expression holds together
LOOSE, SUM, PRODUCT, ATOM = range(4)
LONGEST = 240  # characters of an expression in line
SHARED = "P"  # the name of values that are shared and have none: P1, P2, …


class Statement(NamedTuple):
    """``name = expression``."""

    name: str
    expression: str


@dataclass(frozen=True)
class Syntax:
    """How a language writes what is not plain arithmetic.

    Attributes:
        number: A constant that is not negative.
        element: An element of an input.
        call: Any other operation, from its name and the texts of its arguments, each of which can
            stand as an argument of a function; complete in itself.
    """

    number: Callable[[float], str]
    element: Callable[[Element], str]
    call: Callable[[str, list[str]], str]


class _Term(NamedTuple):
    """An expression without its sign.

    ``opposite`` is the same with the other sign where that costs no sign: b - a for a - b.
    """

    text: str
    level: int
    negative: bool = False
    opposite: str | None = None
    is_number: bool = False

    def at(self, level: int) -> str:
        """The text without its sign, where something of this level is expected."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def signed(self) -> str:
        """The text with its sign."""
        if not self.negative:
            return self.text
        return self.opposite or f"-{self.at(PRODUCT)}"


class Identifiers:
    """Names that are free in a language: others get underscores until they are."""

    def __init__(self, reserved: Iterable[str], fold: Callable[[str], str] = str) -> None:
        """Start with the language's own words; ``fold`` makes names equal that it does not tell."""
        self._fold = fold
        self._taken = {fold(word) for word in reserved}

    def take(self, name: str) -> str:
        """``name``, or the nearest that is free; taken from now on."""
        while self._fold(name) in self._taken:
            name += "_"
        self._taken.add(self._fold(name))
        return name


def statements(
    named: NamedGraph, language: Syntax, identifiers: Identifiers
) -> tuple[list[Statement], list[list[str]]]:
    """The assignments of a graph in its order, and for each output the expression of each element.

    Results are read last, so an expression that only a result needs stands there in line.
    """
    nodes = named.graph.nodes
    readers = _readers(named.graph)
    labels = {n: identifiers.take(name.text) for n, name in named.names.items()}
    shared = count(1)
    written: list[Statement] = []
    terms: list[_Term] = []
    for n, node in enumerate(nodes):
        term = _term(node, [terms[a] for a in node.args], language)
        if node.op not in ("const", "input", "neg") and (
            n in labels or readers[n] > 1 or len(term.text) > LONGEST
        ):
            label = labels.get(n)
            flipped = label is not None and named.names[n].negative
            if label is None:
                label = identifiers.take(f"{SHARED}{next(shared)}")
            term = term._replace(negative=term.negative != flipped)
            written.append(Statement(label, term.signed))
            term = _Term(label, ATOM, flipped)
        terms.append(term)
    return written, [[terms[n].signed for n in result] for result in named.graph.results]


def _readers(graph: Graph) -> Counter[int]:
    """How often each value is read; who reads its negative reads it."""
    readers = Counter(n for result in graph.results for n in result)
    for n in reversed(range(len(graph.nodes))):
        node = graph.nodes[n]
        for a in node.args:
            readers[a] += readers[n] if node.op == "neg" else 1
    return readers


def _term(node: Node, args: list[_Term], language: Syntax) -> _Term:
    match node.op:
        case "const":
            number = language.number(abs(node.value))
            return _Term(number, ATOM, math.copysign(1.0, node.value) < 0, is_number=True)
        case "input":
            assert node.element is not None
            return _Term(language.element(node.element), ATOM)
        case "neg":
            return args[0]._replace(negative=not args[0].negative)
        case "add":
            return _sum(*args)
        case "sub":
            return _sum(args[0], args[1]._replace(negative=not args[1].negative))
        case "mul":
            return _product(*args)
        case "div":
            a, b = args
            return _Term(f"{a.at(PRODUCT)}/{b.at(ATOM)}", PRODUCT, a.negative != b.negative)
        case op:
            return _Term(language.call(op, [arg.signed for arg in args]), ATOM)


def _sum(a: _Term, b: _Term) -> _Term:
    """The sum of two; what changes places does so without changing a bit."""
    if a.negative != b.negative:
        plus, minus = (b, a) if a.negative else (a, b)
        return _Term(
            f"{plus.at(SUM)} - {minus.at(PRODUCT)}",
            SUM,
            opposite=f"{minus.at(SUM)} - {plus.at(PRODUCT)}",
        )
    if b.level == SUM:  # saves parentheses
        a, b = b, a
    return _Term(f"{a.at(SUM)} + {b.at(PRODUCT)}", SUM, a.negative)


def _product(a: _Term, b: _Term) -> _Term:
    """The product of two: numbers first, unless that costs parentheses."""
    if a.level != PRODUCT and (b.level == PRODUCT or b.is_number):
        a, b = b, a
    return _Term(f"{a.at(PRODUCT)}*{b.at(ATOM)}", PRODUCT, a.negative != b.negative)

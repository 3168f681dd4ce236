"""Pass: constant folding, algebraic simplification, common subexpressions, dead-code elimination.

Products with 0 become 0, as CasADi itself does, although 0 * inf is NaN. Signs are moved out of
products, so that ``(-a) * b`` and ``a * b`` share one multiplication, and ``b - a`` is the negative
of ``a - b``; that is exact, but for the sign of a difference of equals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from phalanx.kernel.graph.graph import Builder, Graph, Node, verify


def simplify(graph: Graph) -> Graph:
    """An equal graph with fewer nodes."""
    builder = Builder()
    number: list[int] = []
    for node in graph.nodes:
        if node.op in ("const", "input"):
            number.append(builder.add(node.op, value=node.value, element=node.element))
        else:
            number.append(_simplified(builder, node.op, *(number[a] for a in node.args)))
    results = tuple(tuple(number[n] for n in result) for result in graph.results)
    return drop_unused(replace(graph, nodes=tuple(builder.nodes), results=results))


def drop_unused(graph: Graph) -> Graph:
    """The nodes some result depends on, in the same order."""
    used = bytearray(len(graph.nodes))
    for result in graph.results:
        for n in result:
            used[n] = True
    for n in range(len(graph.nodes) - 1, -1, -1):
        if used[n]:
            for a in graph.nodes[n].args:
                used[a] = True
    number = [-1] * len(graph.nodes)
    nodes: list[Node] = []
    for n, node in enumerate(graph.nodes):
        if used[n]:
            number[n] = len(nodes)
            args = tuple([number[a] for a in node.args])
            nodes.append(Node(node.op, args, node.value, node.element))
    results = tuple(tuple(number[n] for n in result) for result in graph.results)
    return verify(replace(graph, nodes=tuple(nodes), results=results))


def _simplified(builder: Builder, op: str, *args: int) -> int:
    """The number of the simplest node equal to ``op(*args)``."""
    nodes = [builder.nodes[a] for a in args]
    if op in _FOLD and all([node.op == "const" for node in nodes]):
        try:
            return builder.constant(float(_FOLD[op](*[node.value for node in nodes])))
        except (ValueError, OverflowError, ZeroDivisionError):
            pass  # the machine has an answer (inf, NaN) where Python raises
    rule = _RULES.get(op)
    return rule(builder, *args) if rule else builder.add(op, *args)


def _is(builder: Builder, number: int, value: float) -> bool:
    node = builder.nodes[number]
    return node.op == "const" and node.value == value


def _sign_and_rest(builder: Builder, number: int) -> tuple[bool, int]:
    """Whether a value is a negation, and the value without its sign."""
    node = builder.nodes[number]
    if node.op == "neg":
        return True, node.args[0]
    if node.op == "const" and node.value < 0:
        return True, builder.constant(-node.value)
    return False, number


def _negate(builder: Builder, a: int) -> int:
    node = builder.nodes[a]
    if node.op == "neg":
        return node.args[0]
    if node.op == "const":
        return builder.constant(-node.value)
    return builder.add("neg", a)


def _add(builder: Builder, a: int, b: int) -> int:
    if _is(builder, a, 0.0):
        return b
    if _is(builder, b, 0.0):
        return a
    a_negative, a_rest = _sign_and_rest(builder, a)
    b_negative, b_rest = _sign_and_rest(builder, b)
    if a_negative and b_negative:
        return _negate(builder, _add(builder, a_rest, b_rest))
    if b_negative:
        return _difference(builder, a, b_rest)
    if a_negative:
        return _difference(builder, b, a_rest)
    return builder.add("add", min(a, b), max(a, b))


def _subtract(builder: Builder, a: int, b: int) -> int:
    if _is(builder, b, 0.0):
        return a
    if _is(builder, a, 0.0):
        return _negate(builder, b)
    b_negative, b_rest = _sign_and_rest(builder, b)
    if b_negative:
        return _add(builder, a, b_rest)
    a_negative, a_rest = _sign_and_rest(builder, a)
    if a_negative:
        return _negate(builder, _add(builder, a_rest, b))
    return _difference(builder, a, b)


def _difference(builder: Builder, a: int, b: int) -> int:
    """A - b, as the negative of b - a if that is there."""
    opposite = builder.find("sub", b, a)
    return builder.add("sub", a, b) if opposite is None else builder.add("neg", opposite)


def _multiply(builder: Builder, a: int, b: int) -> int:
    if _is(builder, a, 0.0) or _is(builder, b, 0.0):
        return builder.constant(0.0)
    a_negative, a = _sign_and_rest(builder, a)
    b_negative, b = _sign_and_rest(builder, b)
    if _is(builder, a, 1.0):
        product = b
    elif _is(builder, b, 1.0):
        product = a
    elif _is(builder, a, 2.0):
        product = _add(builder, b, b)
    elif _is(builder, b, 2.0):
        product = _add(builder, a, a)
    else:
        product = builder.add("mul", min(a, b), max(a, b))
    return _negate(builder, product) if a_negative != b_negative else product


def _divide(builder: Builder, a: int, b: int) -> int:
    divisor = builder.nodes[b]
    if divisor.op == "const" and math.frexp(divisor.value)[0] in (0.5, -0.5):
        # the reciprocal of a power of two is exact, unless it overflows
        if abs(divisor.value) >= 2.0**-1000:
            return _multiply(builder, a, builder.constant(1.0 / divisor.value))
    a_negative, a = _sign_and_rest(builder, a)
    b_negative, b = _sign_and_rest(builder, b)
    quotient = builder.add("div", a, b)
    return _negate(builder, quotient) if a_negative != b_negative else quotient


def _power(builder: Builder, base: int, exponent: int) -> int:
    """Small whole and half powers become products and roots, as one would write them."""
    node = builder.nodes[exponent]
    if node.op != "const":
        return builder.add("pow", base, exponent)
    if node.value == 1.0:
        return base
    if node.value == 2.0:
        return _multiply(builder, base, base)
    if node.value == 3.0:
        return _multiply(builder, base, _multiply(builder, base, base))
    if node.value == -1.0:
        return _divide(builder, builder.constant(1.0), base)
    return builder.add("pow", base, exponent)


def _odd(op: str) -> Callable[[Builder, int], int]:
    """f(-x) = -f(x)."""

    def rule(builder: Builder, a: int) -> int:
        negative, rest = _sign_and_rest(builder, a)
        value = builder.add(op, rest)
        return _negate(builder, value) if negative else value

    return rule


def _even(op: str) -> Callable[[Builder, int], int]:
    """f(-x) = f(x)."""

    def rule(builder: Builder, a: int) -> int:
        return builder.add(op, _sign_and_rest(builder, a)[1])

    return rule


_RULES: dict[str, Callable[..., int]] = {
    "neg": _negate,
    "add": _add,
    "sub": _subtract,
    "mul": _multiply,
    "div": _divide,
    "pow": _power,
    **{op: _odd(op) for op in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh")},
    **{op: _even(op) for op in ("cos", "cosh", "fabs")},
}

_FOLD: dict[str, Callable[..., float]] = {
    "neg": lambda a: -a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "exp": math.exp,
    "log": math.log,
    "atan2": math.atan2,
    "pow": math.pow,
    "fabs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "lt": lambda a, b: float(a < b),
    "le": lambda a, b: float(a <= b),
    "eq": lambda a, b: float(a == b),
    "ne": lambda a, b: float(a != b),
    "not": lambda a: float(not a),
    "and": lambda a, b: float(bool(a) and bool(b)),
    "or": lambda a, b: float(bool(a) or bool(b)),
    "if_else_zero": lambda c, a: a if c else 0.0,
}

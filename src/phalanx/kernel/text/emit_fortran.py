"""Fortran code generation: a graph as a free-form Fortran 2008 subroutine of one sample.

Fortran does not tell upper from lower case; names that then coincide get an underscore. Elements of
matrices keep their row and column. Functions that Fortran lacks are those of the C library.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

import casadi as ca

from phalanx.base.arguments import checked
from phalanx.kernel.graph.graph import Element, Graph, Port
from phalanx.kernel.graph.named_graph import NamedGraph, named_graph
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import Shapes, read_casadi, scalar_function
from phalanx.kernel.text.emit_statements import Identifiers, Syntax, statements
from phalanx.kernel.text.write_source import write_source

WIDTH = 100  # the standard allows 132
_LONGEST_NAME = 60  # the standard allows 63; the rest is for underscores that tell names apart
_TOGETHER = 100  # variables in one declaration
_INTRINSICS = {
    **{
        op: op
        for op in (
            "sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log erf "
            "atan2 hypot".split()
        )
    },
    "fabs": "abs",
    "copysign": "sign",
}
# by the C library, for precision, range, or what they do with NaN
_FROM_C = {
    "expm1": 1, "log1p": 1, "floor": 1, "ceil": 1,
    "fmod": 2, "remainder": 2, "fmin": 2, "fmax": 2,
}  # fmt: skip
_ONE_OR_ZERO = "merge(1.0d0, 0.0d0, {})"
_EXPRESSIONS = {
    "pow": "(({0})**({1}))",
    "lt": _ONE_OR_ZERO.format("{0} < {1}"),
    "le": _ONE_OR_ZERO.format("{0} <= {1}"),
    "eq": _ONE_OR_ZERO.format("{0} == {1}"),
    "ne": _ONE_OR_ZERO.format("{0} /= {1}"),
    "not": _ONE_OR_ZERO.format("{0} == 0"),
    "and": _ONE_OR_ZERO.format("{0} /= 0 .and. {1} /= 0"),
    "or": _ONE_OR_ZERO.format("{0} /= 0 .or. {1} /= 0"),
    "if_else_zero": "merge({1}, 0.0d0, {0} /= 0)",
    # NaN stays NaN
    "sign": "merge(sign(1.0d0, {0}), {0}, abs({0}) > 0)",
}


@checked
def export_fortran(
    function: ca.Function,
    path: str | os.PathLike[str],
    shapes: Shapes | None = None,
    *,
    intermediates: Sequence[str] = (),
) -> Path:
    """Write ``function`` as Fortran 2008 source.

    The subroutine has the name of the CasADi function and takes an array per input and output; it
    can be called from C under the same name::

        subroutine inverse_dynamics(q, v, a, tau) bind(c, name="inverse_dynamics")

    Args:
        function: An SX function, or an MX function that expands to one.
        path: The file to write.
        shapes: Trailing shapes by name; ``()`` makes an argument a scalar.
        intermediates: Outputs of one number each that are no results but names for values on the
            way, as ``expression(..., named=True)`` makes them.

    Returns:
        The path written.

    Raises:
        InvalidInput: When an intermediate is no output of one number.
    """
    graph = simplify(read_casadi(scalar_function(function), shapes))
    return write_source(path, emit_fortran(named_graph(graph, intermediates)))


def emit_fortran(named: NamedGraph) -> str:
    """The source of a graph with names."""
    graph = named.graph
    identifiers = Identifiers(
        ("dp", "merge", *_INTRINSICS.values(), *(f"c_{op}" for op in _FROM_C)),
        lambda name: name.lower(),
    )
    function = identifiers.take(graph.name[:_LONGEST_NAME])
    inputs = [identifiers.take(port.name[:_LONGEST_NAME]) for port in graph.inputs]
    outputs = [identifiers.take(port.name[:_LONGEST_NAME]) for port in graph.outputs]
    language = Syntax(
        number=_number,
        element=lambda element: _element(inputs[element.port], graph.inputs[element.port], element),
        call=_call,
    )
    written, results = statements(named, language, identifiers)

    body = [f"{name} = {expression}" for name, expression in written]
    for k, (name, port, result) in enumerate(zip(outputs, graph.outputs, results, strict=True)):
        body += [f"{_element(name, port, Element(k, i))} = {text}" for i, text in enumerate(result)]
    ports = [*zip(inputs, graph.inputs, strict=True), *zip(outputs, graph.outputs, strict=True)]
    lines = [
        f"subroutine {function}({', '.join(name for name, _ in ports)}) "
        f'bind(c, name="{graph.name}")',
        "  use, intrinsic :: iso_c_binding, only: dp => c_double",
        *_arithmetic(graph),
        "  implicit none",
        *(f"  real(dp), intent(in) :: {_dummy(*port)}" for port in ports[: len(inputs)]),
        *(f"  real(dp), intent(out) :: {_dummy(*port)}" for port in ports[len(inputs) :]),
        *_declarations([name for name, _ in written]),
        *_interfaces({node.op for node in graph.nodes} & set(_FROM_C)),
        *_unused(graph, inputs),
        *(f"  {line}" for line in body),
        f"end subroutine {function}",
    ]
    head = [f"! {graph.name}: {named.operations!r}, written by Phalanx."]
    return "\n".join([*head, *(part for line in lines for part in _wrapped(line))]) + "\n"


def _declarations(names: list[str]) -> list[str]:
    """Local variables, some at a time: the standard allows 255 continued lines."""
    groups = [names[k : k + _TOGETHER] for k in range(0, len(names), _TOGETHER)]
    return [f"  real(dp) :: {', '.join(group)}" for group in groups]


def _dummy(name: str, port: Port) -> str:
    if port.shape == ():
        return name
    if len(port.shape) == 1:
        return f"{name}({port.size})"
    return f"{name}({port.rows},{port.columns})"


def _element(name: str, port: Port, element: Element) -> str:
    if port.shape == ():
        return name
    if len(port.shape) == 1:
        return f"{name}({element.place + 1})"
    return f"{name}({element.place // port.columns + 1},{element.place % port.columns + 1})"


def _arithmetic(graph: Graph) -> list[str]:
    """The module that has infinity and NaN, where constants are such."""
    if all(math.isfinite(node.value) for node in graph.nodes if node.op == "const"):
        return []
    return ["  use, intrinsic :: ieee_arithmetic"]


def _unused(graph: Graph, inputs: list[str]) -> list[str]:
    """Constructs that keep compilers from warning of arguments nothing reads."""
    read = {node.element.port for node in graph.nodes if node.element is not None}
    silent = [name for i, name in enumerate(inputs) if i not in read]
    return [
        part for name in silent for part in (f"  associate (unused => {name})", "  end associate")
    ]


def _interfaces(ops: set[str]) -> list[str]:
    """Declarations of functions of the C library."""
    lines = []
    for op in sorted(ops):
        arguments = ", ".join("xy"[: _FROM_C[op]])
        lines += [
            "  interface",
            f'    pure function c_{op}({arguments}) result(z) bind(c, name="{op}")',
            "      import :: dp",
            f"      real(dp), intent(in), value :: {arguments}",
            "      real(dp) :: z",
            "    end function",
            "  end interface",
        ]
    return lines


def _call(op: str, arguments: list[str]) -> str:
    """An operation beyond arithmetic, complete in itself."""
    expression = _EXPRESSIONS.get(op)
    if expression is not None:
        return expression.format(*arguments)
    function = f"c_{op}" if op in _FROM_C else _INTRINSICS[op]
    return f"{function}({', '.join(arguments)})"


def _number(value: float) -> str:
    """A literal of double precision that reads back to the same number."""
    if math.isnan(value):
        return "ieee_value(1.0d0, ieee_quiet_nan)"
    if math.isinf(value):
        return "ieee_value(1.0d0, ieee_positive_inf)"
    text = repr(value).replace("e", "d")
    return text if "d" in text else f"{text}d0"


def _wrapped(line: str) -> list[str]:
    """A line broken where the standard wants it broken."""
    indent = line[: len(line) - len(line.lstrip())]
    parts = wrap(
        line.strip(),
        WIDTH - len(indent),
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [*(f"{part} &" for part in parts[:-1]), *parts[-1:]]

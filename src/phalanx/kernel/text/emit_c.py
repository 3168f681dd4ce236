"""C code generation: a graph as a self-contained C99 function of one sample."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

import casadi as ca

from phalanx.base.arguments import checked
from phalanx.kernel.graph.graph import Graph, Port
from phalanx.kernel.graph.named_graph import NamedGraph, named_graph
from phalanx.kernel.graph.operations import operations
from phalanx.kernel.graph.passes.simplify import simplify
from phalanx.kernel.graph.read_casadi import Shapes, read_casadi, scalar_function
from phalanx.kernel.llvm.elementary import LIBM
from phalanx.kernel.text.emit_statements import Identifiers, Syntax, statements
from phalanx.kernel.text.write_source import write_source

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while main".split()
)
WIDTH = 100  # of a line, where a statement has to be broken
_FUNCTIONS = {
    **LIBM,
    **{op: op for op in ("tan", "sqrt", "fabs", "floor", "ceil", "fmin", "fmax", "copysign")},
}
_EXPRESSIONS = {
    "neg": "-{0}",
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "not": "{0} == 0",
    "and": "{0} != 0 && {1} != 0",
    "or": "{0} != 0 || {1} != 0",
    "if_else_zero": "{0} != 0 ? {1} : 0",
    # NaN stays NaN
    "sign": "{0} < 0 ? -1 : {0} > 0 ? 1 : {0}",
}


@checked
def export_c(
    function: ca.Function,
    path: str | os.PathLike[str],
    shapes: Shapes | None = None,
    *,
    intermediates: Sequence[str] = (),
) -> Path:
    """Write ``function`` as C99 source.

    The C function has the name of the CasADi function and takes a pointer per input and output,
    matrices in row-major order::

        void inverse_dynamics(const double q[6], const double v[6], const double a[6], double
        tau[6])

    Args:
        function: An SX function, or an MX function that expands to one.
        path: The file to write.
        shapes: Trailing shapes by name, for the comments in the file.
        intermediates: Outputs of one number each that are no results but names for values on the
            way, as ``expression(..., named=True)`` makes them. With names, the code is written for
            readers: a statement for every named or shared value, the rest in line.

    Returns:
        The path written.

    Raises:
        InvalidInput: When an intermediate is no output of one number.
        WriteError: When the file cannot be written.
    """
    graph = simplify(read_casadi(scalar_function(function), shapes))
    named = emit_named_c(named_graph(graph, intermediates)) if intermediates else emit_c(graph)
    return write_source(path, named)


def emit_c(graph: Graph) -> str:
    """The source of a simplified graph."""
    names = [_identifier(port.name) for port in (*graph.inputs, *graph.outputs)]
    taken = {graph.name, *names}
    prefix = "t" if not any(re.fullmatch(r"t\d+", name) for name in taken) else "value_"
    inputs, outputs = names[: len(graph.inputs)], names[len(graph.inputs) :]

    def operand(n: int) -> str:
        node = graph.nodes[n]
        if node.op == "const":
            return _number(node.value)
        if node.element is not None:
            return f"{inputs[node.element.port]}[{node.element.place}]"
        return f"{prefix}{n}"

    lines = _unused(graph, inputs, outputs)
    for n, node in enumerate(graph.nodes):
        if node.op not in ("const", "input"):
            arguments = [operand(a) for a in node.args]
            lines.append(f"    const double {prefix}{n} = {_expression(node.op, arguments)};")
    for name, result in zip(outputs, graph.results, strict=True):
        lines += [f"    {name}[{i}] = {operand(n)};" for i, n in enumerate(result)]
    return _source(graph, _identifier(graph.name), inputs, outputs, lines)


def emit_named_c(named: NamedGraph) -> str:
    """The source of a graph with names."""
    graph = named.graph
    identifiers = Identifiers(_KEYWORDS | set(_FUNCTIONS))
    function = identifiers.take(graph.name)
    inputs = [identifiers.take(port.name) for port in graph.inputs]
    outputs = [identifiers.take(port.name) for port in graph.outputs]
    language = Syntax(
        number=lambda value: _number(value, shortest=True),
        element=lambda element: f"{inputs[element.port]}[{element.place}]",
        call=_call,
    )
    written, results = statements(named, language, identifiers)
    lines = _unused(graph, inputs, outputs)
    for name, expression in written:
        lines += _wrapped(f"const double {name} = {expression};")
    for name, result in zip(outputs, results, strict=True):
        for i, expression in enumerate(result):
            lines += _wrapped(f"{name}[{i}] = {expression};")
    return _source(graph, function, inputs, outputs, lines)


def _source(
    graph: Graph, function: str, inputs: list[str], outputs: list[str], lines: list[str]
) -> str:
    """A whole file: what it holds, the function's head, and its body."""
    parameters = [
        *(f"const double {_array(n, p)}" for n, p in zip(inputs, graph.inputs, strict=True)),
        *(f"double {_array(n, p)}" for n, p in zip(outputs, graph.outputs, strict=True)),
    ]
    ports = "\n".join(
        f" *   {name}: {direction}, shape {port.shape}"
        for name, port, direction in zip(
            (*inputs, *outputs),
            (*graph.inputs, *graph.outputs),
            ["in"] * len(inputs) + ["out"] * len(outputs),
            strict=True,
        )
    )
    signature = f"void {function}({', '.join(parameters) or 'void'})"
    return (
        f"/* {graph.name}: {operations(graph.nodes)!r}, written by Phalanx.\n"
        f" * Arrays are in row-major order.\n{ports}\n */\n"
        "#include <math.h>\n\n"
        f"{signature};\n\n{signature}\n{{\n" + "\n".join(lines) + "\n}\n"
    )


def _unused(graph: Graph, inputs: list[str], outputs: list[str]) -> list[str]:
    """Statements that keep compilers from warning of parameters nothing reads or writes."""
    read = {node.element.port for node in graph.nodes if node.element is not None}
    silent = [name for i, name in enumerate(inputs) if i not in read]
    silent += [n for n, port in zip(outputs, graph.outputs, strict=True) if port.size == 0]
    return [f"    (void){name};" for name in silent]


def _call(op: str, arguments: list[str]) -> str:
    """An operation beyond arithmetic, complete in itself."""
    if op in _FUNCTIONS:
        return _expression(op, arguments)
    return f"({_expression(op, [f'({argument})' for argument in arguments])})"


def _wrapped(line: str) -> list[str]:
    return wrap(
        line,
        WIDTH,
        initial_indent=" " * 4,
        subsequent_indent=" " * 8,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _expression(op: str, arguments: list[str]) -> str:
    function = _FUNCTIONS.get(op)
    if function:
        return f"{function}({', '.join(arguments)})"
    return _EXPRESSIONS[op].format(*arguments)


def _identifier(name: str) -> str:
    reserved = name in _KEYWORDS or name in _FUNCTIONS
    return name + "_" if reserved else name


def _array(name: str, port: Port) -> str:
    return f"{name}[{port.size}]" if port.size else f"*{name}"


def _number(value: float, *, shortest: bool = False) -> str:
    """A literal that C reads back to the same double; parenthesised if it has a sign."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    text = repr(value) if shortest else f"{value:.17g}"
    if not any(mark in text for mark in ".e"):
        text += ".0"
    return f"({text})" if text.startswith("-") else text

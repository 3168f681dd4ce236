"""Read a CasADi ``Function`` into a ``Graph``."""

from __future__ import annotations

import re
from collections.abc import Mapping

import casadi as ca

from phalanx.base.errors import CompileError, InvalidInput
from phalanx.kernel.graph.graph import Builder, Element, Graph, Port, verify

Shapes = Mapping[str, tuple[int, ...]]

# CasADi operations that are one node each
_DIRECT = {
    getattr(ca, "OP_" + casadi_name): op
    for casadi_name, op in {
        "ADD": "add", "SUB": "sub", "MUL": "mul", "DIV": "div", "NEG": "neg", "SQRT": "sqrt",
        "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "asin", "ACOS": "acos", "ATAN": "atan",
        "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "ASINH": "asinh", "ACOSH": "acosh",
        "ATANH": "atanh", "EXP": "exp", "EXPM1": "expm1", "LOG": "log", "LOG1P": "log1p",
        "POW": "pow", "CONSTPOW": "pow", "ATAN2": "atan2", "FMOD": "fmod", "HYPOT": "hypot",
        "REMAINDER": "remainder", "FMIN": "fmin", "FMAX": "fmax", "COPYSIGN": "copysign",
        "FABS": "fabs", "SIGN": "sign", "FLOOR": "floor", "CEIL": "ceil", "ERF": "erf",
        "LT": "lt", "LE": "le", "EQ": "eq", "NE": "ne", "AND": "and", "OR": "or", "NOT": "not",
        "IF_ELSE_ZERO": "if_else_zero",
    }.items()
    if hasattr(ca, "OP_" + casadi_name)
}  # fmt: skip
_NAMES = {getattr(ca, name): name for name in dir(ca) if name.startswith("OP_")}


def scalar_function(function: ca.Function) -> ca.Function:
    """``function`` as a graph of scalars.

    Raises:
        CompileError: It calls something that has no scalar expression, such as an integrator.
    """
    if not isinstance(function, ca.Function):
        raise CompileError(
            f"compile() takes a casadi.Function; got {type(function).__name__}. "
            "Wrap expressions: casadi.Function('f', [x], [y], ['x'], ['y'])."
        )
    if function.is_a("SXFunction"):
        return function
    try:
        return function.expand()
    except Exception as error:
        reason = str(error).strip().splitlines()[-1]
        raise CompileError(
            f"function '{function.name()}' cannot be expanded to scalar (SX) operations: {reason}"
        ) from error


def ports(
    function: ca.Function, shapes: Shapes | None
) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The inputs and outputs of ``function``, with the trailing shapes their arrays have."""
    shapes = dict(shapes or {})
    names_in = function.name_in()
    names_out = function.name_out()
    unknown = set(shapes) - set(names_in) - set(names_out)
    if unknown:
        raise InvalidInput(
            f"shapes names {', '.join(sorted(unknown))}, which '{function.name()}' does not have. "
            f"Inputs: {', '.join(names_in)}; outputs: {', '.join(names_out)}."
        )
    inputs = tuple(
        _port(name, *function.size_in(i), shapes.get(name)) for i, name in enumerate(names_in)
    )
    outputs = tuple(
        _port(name, *function.size_out(i), shapes.get(name)) for i, name in enumerate(names_out)
    )
    return inputs, outputs


def _port(name: str, rows: int, columns: int, shape: tuple[int, ...] | None) -> Port:
    if shape is None:
        return Port(name, rows, columns, (rows,) if columns == 1 else (rows, columns))
    shape = tuple(int(n) for n in shape)
    size = 1
    for n in shape:
        size *= n
    if size != rows * columns or any(n < 0 for n in shape):
        raise InvalidInput(
            f"shape {shape} of '{name}' has {size} elements; the function has a "
            f"({rows}, {columns}) matrix there, so {rows * columns}."
        )
    return Port(name, rows, columns, shape)


def read_casadi(function: ca.Function, shapes: Shapes | None = None) -> Graph:
    """The graph of an SX function, one node per instruction.

    Args:
        function: An SX function (see `scalar_function`).
        shapes: Trailing shapes by name, where they differ from the matrix's own.

    Raises:
        CompileError: The function has an operation that no kernel knows.
    """
    inputs, outputs = ports(function, shapes)
    elements_in = [_row_major(function.sparsity_in(i)) for i in range(function.n_in())]
    elements_out = [_row_major(function.sparsity_out(i)) for i in range(function.n_out())]

    builder = Builder()
    results = [[-1] * port.size for port in outputs]
    register = [-1] * function.sz_w()
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        target = function.instruction_output(k)
        source = function.instruction_input(k)
        op = _DIRECT.get(operation)
        if op is not None:
            register[target[0]] = builder.add(op, *(register[i] for i in source))
        elif operation == ca.OP_INPUT:
            port, nonzero = source
            element = Element(port, elements_in[port][nonzero])
            register[target[0]] = builder.add("input", element=element)
        elif operation == ca.OP_OUTPUT:
            port, nonzero = target
            results[port][elements_out[port][nonzero]] = register[source[0]]
        elif operation == ca.OP_CONST:
            register[target[0]] = builder.constant(function.instruction_constant(k))
        elif operation in (ca.OP_ASSIGN, ca.OP_LIFT):
            register[target[0]] = register[source[0]]
        elif operation == ca.OP_SQ:
            register[target[0]] = builder.add("mul", register[source[0]], register[source[0]])
        elif operation == ca.OP_TWICE:
            register[target[0]] = builder.add("add", register[source[0]], register[source[0]])
        elif operation == ca.OP_INV:
            register[target[0]] = builder.add("div", builder.constant(1.0), register[source[0]])
        else:
            name = _NAMES.get(operation, f"operation {operation}")
            raise CompileError(
                f"function '{function.name()}' uses {name}, which kernels do not know. "
                "Rewrite the expression without it, or evaluate it with CasADi."
            )

    zero = builder.constant(0.0)
    filled = tuple(tuple(zero if n < 0 else n for n in result) for result in results)
    name = re.sub(r"\W", "_", function.name(), flags=re.ASCII)
    return verify(Graph(name, inputs, outputs, tuple(builder.nodes), filled))


def _row_major(sparsity: ca.Sparsity) -> list[int]:
    """For each nonzero (counted by columns, as CasADi does) its place in row-major order."""
    columns = sparsity.size2()
    return [r * columns + c for r, c in zip(*sparsity.get_triplet(), strict=True)]

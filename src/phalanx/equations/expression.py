"""Build a CasADi function of an equation, with named inputs and outputs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import casadi as ca
from casadi import SX

from phalanx.base.arguments import checked, unfit
from phalanx.base.casadi_operators import quick_operators
from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import rows_of_loops
from phalanx.equations.model_of import model_of
from phalanx.equations.names import Names
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism

# inputs that are positions: not always vectors
POSITIONS = ("q", "q0", "q1")
# x and f: what M and its inverse are multiplied with
# of a machine with loops: the free velocities and their rates, what frames do, forces in loops
# between two positions: these, and how much of the way
STATE = (
    *("q", "v", "a", "tau", "x", "f"),
    *("v_free", "a_free", "V", "A", "loop_force"),
    *("q0", "q1", "s"),
)


@checked
@quick_operators()
def expression(
    equation: Callable[..., Any],
    mechanism: Mechanism | Model,
    *,
    parameters: Sequence[str] = (),
    wrenches: Sequence[str] = (),
    moving_base: bool = False,
    named: bool = False,
    **options: Any,
) -> ca.Function:
    """The ``casadi.Function`` of an equation.

    Args:
        equation: A function such as ``inverse_dynamics.recursive``.
        mechanism: The machine.
        parameters: Numbers of the machine that become inputs, ``"forearm.mass"``.
        wrenches: Frames on which an external wrench (force, moment) acts; each becomes an input
            ``wrench_<frame>`` of six numbers, in that frame's axes.
        moving_base: Whether the motion of the root becomes two inputs: ``base_velocity`` and
            ``base_acceleration``, each (linear, angular) in root axes.
        named: Whether the intermediate scalars that the equation names become outputs too, one
            each, after its own.
        options: Further keywords of the equation, ``frame="tool0"``.

    Returns:
        A function whose inputs are those of the equation in their order, then parameters, wrenches
        and base motion; names are the equation's own, with characters that C forbids replaced by _.

    Raises:
        InvalidInput: When the equation does not take what was asked for.
    """
    if isinstance(equation, type) or not hasattr(equation, "__name__"):
        expected = "a function such as phalanx.inverse_dynamics.recursive"
        raise unfit("equation", equation, expected)
    known = inspect.signature(equation).parameters
    for wanted, name in ((wrenches, "wrenches"), (moving_base, "base"), (named, "names")):
        if wanted and name not in known:
            raise InvalidInput(f"{equation.__name__} takes no {name}.")
    for name in options:
        if name not in known:
            raise InvalidInput(f"{equation.__name__} has no option '{name}'.")
    model = model_of(mechanism, parameters)

    inputs = {name: SX.sym(name, _size(model, name)) for name in state_inputs(equation)}
    state = list(inputs.values())
    inputs.update(model.parameters.symbols)
    acting = acting_inputs(wrenches, moving_base)
    symbols = {name: SX.sym(name, size) for name, size in acting.items()}
    inputs.update(symbols)
    if wrenches:
        options["wrenches"] = {frame: symbols[f"wrench_{frame}"] for frame in wrenches}
    if moving_base:
        V, A = symbols["base_velocity"], symbols["base_acceleration"]
        options["base"] = BaseMotion(Twist.of(V), Twist.of(A))
    names = identifiers(inputs, equation.__name__)

    intermediates = Names()
    if named:
        options["names"] = intermediates
    results = equation(model, *state, **options)
    if not isinstance(results, tuple):
        results = (results,)
    outputs = getattr(equation, "outputs", None) or [f"y{k}" for k in range(len(results))]
    return ca.Function(
        identifier(f"{model.mechanism.name}_{equation.__name__}"),
        list(inputs.values()),
        ca.cse([*results, *intermediates.values.values()]),
        names,
        [*outputs, *intermediates.values],
    )


def acting_inputs(wrenches: Sequence[str], moving_base: bool) -> dict[str, int]:
    """Inputs for wrenches from outside and the motion of the root: name to how many numbers.

    Raises:
        InvalidInput: When a frame is given twice.
    """
    if len(set(wrenches)) < len(wrenches):
        raise InvalidInput(f"a frame is listed twice in wrenches: {', '.join(wrenches)}.")
    base = ("base_velocity", "base_acceleration") if moving_base else ()
    return dict.fromkeys((*(f"wrench_{frame}" for frame in wrenches), *base), 6)


def identifiers(inputs: Iterable[str], of: str) -> list[str]:
    """Names of inputs ``of`` something as C accepts them.

    Raises:
        InvalidInput: When two become the same.
    """
    owners: dict[str, str] = {}
    for own in inputs:
        name = identifier(own)
        if name in owners:
            raise InvalidInput(
                f"'{own}' and '{owners[name]}', inputs of {of}, are both called '{name}' in C; "
                "rename one of them in the mechanism."
            )
        owners[name] = own
    return list(owners)


def state_inputs(equation: Callable[..., Any]) -> list[str]:
    """Names of the state that an equation takes."""
    return [name for name in inspect.signature(equation).parameters if name in STATE]


def _size(model: Model, name: str) -> int:
    """How many numbers an input of that name has."""
    match name:
        case _ if name in POSITIONS:
            return model.mechanism.nq
        case "s":
            return 1
        case "v_free" | "a_free":
            return model.nv - len(independent_rows(model.mechanism))
        case "V" | "A":
            return 6
        case "loop_force":
            return len(rows_of_loops(model))
        case _:
            return model.nv


def identifier(name: str) -> str:
    """A name that C and CasADi accept: letters, digits, single underscores, a letter first.

    A letter that is not ASCII becomes ``u`` and its number in Unicode, so that names which differ
    by such letters stay different.
    """
    plain = "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)
    cleaned = re.sub(r"_+", "_", re.sub(r"\W", "_", plain)).strip("_")
    return cleaned if cleaned[:1].isalpha() else f"f_{cleaned}"

"""Per-run parameters of a setup: the machine's numbers, those of its forces, gains.

``link_3.mass`` is the machine's, ``elbow.damping`` and ``stops.stiffness`` are of the forces that a
setup has, ``control.stiffness`` is of its law. Each is named among the setup's parameters and stays
a number of the compiled code otherwise.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from casadi import SX

from phalanx.base.casadi_operators import symbol
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.tree.parameters import (
    check_parameter,
    machine_numbers,
    parameter_value,
)
from phalanx.mechanism.pose import Array
from phalanx.simulation.setup.forces.joint_forces import Damping, ForceOfEach
from phalanx.simulation.setup.laws import as_law
from phalanx.simulation.setup.setup import Setup

CONTROL = "control."


def parameter_symbols(setup: Setup) -> dict[str, SX]:
    """A symbol for each parameter that is none of the machine's.

    Raises:
        UnknownName: When there is no such number.
        InvalidInput: When two have the same name.
    """
    if not setup.parameters:
        return {}
    own = parameters_of_setup(setup)
    damped = any(isinstance(force, Damping) for force in setup.forces)
    for name in setup.parameters:
        number_value(setup, name)
        if name.endswith(".damping") and name not in own and not damped:
            raise InvalidInput(
                f"'{name}' is told to each run, and no force of this setup depends on it: add "
                "Damping() to its forces=."
            )
    return {name: symbol(name, own[name].size) for name in setup.parameters if name in own}


def number_value(setup: Setup, name: str) -> Array:
    """Default value of a per-run parameter, shape (size,).

    Raises:
        UnknownName: With the nearest that exists.
        InvalidInput: When two have the same name.
    """
    own = [value for known, value in _other_numbers(setup) if known == name]
    if len(own) > 1:
        raise InvalidInput(
            f"'{name}' is the name of several numbers of '{setup.mechanism.name}' and what acts on "
            "it; rename a joint, or give each force once."
        )
    if own:
        return own[0]
    for force in setup.forces:
        if isinstance(force, ForceOfEach) and name in force.fitted_names:
            kind = type(force).__name__
            raise InvalidInput(
                f"'{name}' is told to each run, and {kind}() has one for each joint, fitted to it: "
                f"give the forces= a {kind}({', '.join(f'{k}=...' for k in force.of_all)})."
            )
    try:
        return parameter_value(setup.mechanism, name)
    except UnknownName:
        known = [*parameters_of_setup(setup), *machine_numbers(setup.mechanism)]
        owner = f"'{setup.mechanism.name}' with what acts on it"
        raise UnknownName(owner, "parameter", name, known) from None


def check_number(setup: Setup, name: str, values: Array) -> None:
    """Refuse values that no machine and no force has; gains of laws may be any number.

    Raises:
        InvalidInput: See :func:`check_parameter`.
    """
    law = as_law(setup.control)
    if law is None or name not in {f"{CONTROL}{gain}" for gain in law.gains}:
        check_parameter(setup.mechanism, name, values)


def parameters_of_setup(setup: Setup) -> dict[str, Array]:
    """All that are none of the machine's: name to value, shape (size,)."""
    return dict(_other_numbers(setup))


def _other_numbers(setup: Setup) -> list[tuple[str, Array]]:
    law = as_law(setup.control)
    gains = law.gains.items() if law else ()
    of_forces = (force.parameters(setup.mechanism).items() for force in setup.forces)
    return [
        *chain.from_iterable(of_forces),
        *((f"{CONTROL}{k}", np.atleast_1d(np.asarray(gain, dtype=float))) for k, gain in gains),
    ]

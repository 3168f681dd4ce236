"""Gains of closure equations: one number for all, one a loop by name, or one an equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from phalanx.base.arguments import numbers
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.loops.closure.equations import rows_of_loops
from phalanx.equations.tree.model import Model
from phalanx.mechanism.pose import Array

LoopGains = float | Mapping[str, float] | Sequence[float] | Array
"""A number; loop name to number; or a number for each closure equation, in their order."""


def per_equation(model: Model, what: str, gains: LoopGains) -> Array:
    """A number for each closure equation of a machine, shape (m,).

    Raises:
        UnknownName: The machine has no loop of a name.
        InvalidInput: A loop is left out, or there are as many numbers as neither one nor m.
    """
    owners, name = rows_of_loops(model), model.mechanism.name
    if isinstance(gains, Mapping):
        loops = [loop.name for loop in model.mechanism.loops]
        for loop in gains:
            if loop not in loops:
                raise UnknownName(f"'{name}'", "loop", loop, loops)
        for loop in loops:
            if loop not in gains:
                raise InvalidInput(
                    f"{what} has no number for loop '{loop}' of '{name}'; expected one for each "
                    "loop, or one number for all."
                )
        each = {loop: numbers(f"{what} of loop '{loop}'", gains[loop]) for loop in loops}
        for loop, values in each.items():
            if values.ndim:
                raise InvalidInput(
                    f"{what} of loop '{loop}' has shape {values.shape}; expected a number. Numbers "
                    "of single equations are one list for the whole machine."
                )
        return np.array([float(each[owner]) for owner in owners])
    values = numbers(what, gains)
    if values.ndim == 0:
        return np.full(len(owners), float(values))
    if values.shape != (len(owners),):
        counts = ", ".join(f"{loop} {owners.count(loop)}" for loop in dict.fromkeys(owners))
        raise InvalidInput(
            f"{what} has shape {values.shape}; '{name}' has {len(owners)} closure equations "
            f"({counts or 'it has no loops'}). Expected one number, one for each loop by name, or "
            "one for each equation."
        )
    return np.asarray(values, dtype=np.float64)

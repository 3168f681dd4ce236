"""Loop forces and wrenches by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import lengths_in_rows, rows_of_loops
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


class LoopWrench(NamedTuple):
    """The force and moment in a loop, with the same meaning for every kind of closure.

    The body of ``frame_b`` exerts ``force`` and ``moment`` on that of ``frame_a``; both are in the
    axes of ``frame_a``, and the force acts at its origin. The reactions are what the body of
    ``frame_a`` exerts on that of ``frame_b``, in the axes of ``frame_b`` and at its origin. Leading
    axes are batch axes.

    Attributes:
        force: On the body of ``frame_a`` [N], shape (..., 3).
        moment: On the body of ``frame_a``, about the origin of ``frame_a`` [N·m], shape (..., 3).
        reaction_force: On the body of ``frame_b`` [N], shape (..., 3).
        reaction_moment: On the body of ``frame_b``, about the origin of ``frame_b`` [N·m],
            shape (..., 3).
    """

    force: Array
    moment: Array
    reaction_force: Array
    reaction_moment: Array

    @property
    def on_a(self) -> Array:
        """(force, moment) on ``frame_a``, as ``wrenches=`` of Dynamics takes it, (..., 6)."""
        return np.concatenate([self.force, self.moment], axis=-1)

    @property
    def on_b(self) -> Array:
        """(force, moment) on ``frame_b``, as ``wrenches=`` of Dynamics takes it, (..., 6)."""
        return np.concatenate([self.reaction_force, self.reaction_moment], axis=-1)


class LoopRow(NamedTuple):
    """To whom a number of ``loop_force`` belongs.

    Attributes:
        loop: Name of the loop.
        equation: Which of the loop's equations, from 0.
        unit: ``"N"`` where the equation compares places, ``"N·m"`` where it compares directions.
        is_redundant: Whether the equation follows from others; its number is then always zero.
    """

    loop: str
    equation: int
    unit: str
    is_redundant: bool


def loop_rows(mechanism: Mechanism) -> tuple[LoopRow, ...]:
    """For each number of ``loop_force`` the equation it belongs to."""
    model, counted = model_of(mechanism), independent_rows(mechanism)
    names = rows_of_loops(model)
    return tuple(
        LoopRow(
            name, names[:number].count(name), "N" if is_length else "N·m", number not in counted
        )
        for number, (name, is_length) in enumerate(zip(names, lengths_in_rows(model), strict=True))
    )


def wrenches_by_loop(mechanism: Mechanism, W: Array) -> dict[str, LoopWrench]:
    """Loop name to wrench, from rows of twelve numbers a loop, shape (..., loops, 12)."""
    return {
        loop.name: LoopWrench(*np.split(W[..., k, :], 4, axis=-1))
        for k, loop in enumerate(mechanism.loops)
    }

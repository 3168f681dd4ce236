"""Simulation of a machine, step by step, on a mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.errors import InvalidInput
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.multiprocessor.plans.schedule import Schedule

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MeshMotion:
    """A motion found on a mesh; rows are moments, the first is where it began.

    Attributes:
        q: Angles [rad].
        v: Rates [rad/s].
        s: Pressures [psi], empty without actuators.
    """

    q: Array
    v: Array
    s: Array


def run_mesh(
    machine: MeshMachine,
    plan: Schedule,
    q: ArrayLike,
    v: ArrayLike,
    inputs: ArrayLike,
    s: ArrayLike | None = None,
) -> MeshMotion:
    """Carry the plan of a step out again and again, with numbers.

    Args:
        machine: What the plan was made for.
        plan: Of a step (``mesh_step(…).plan()``).
        q: Angles at the beginning [rad], shape (n,).
        v: Rates at the beginning [rad/s], shape (n,).
        inputs: For each step torques [N·m] or spool openings [cm], shape (steps, …).
        s: Pressures at the beginning [psi]; zero when not given.

    Raises:
        InvalidInput: A mass matrix is singular (the joint is named), or shapes do not fit.
    """
    assert plan.graph.program is not None, "the tasks of a step have a program"
    ports = {port.name: port.size for port in plan.graph.program.inputs}
    states = [_vector("q", q, ports["q"]), _vector("v", v, ports["v"])]
    if "s" in ports:
        states.append(_vector("s", np.zeros(ports["s"]) if s is None else s, ports["s"]))
    rows = np.atleast_2d(np.asarray(inputs, dtype=np.float64))
    history: list[list[Array]] = [states]
    for row in rows:
        q_next, v_next, _, pivots, *pressures = plan.execute(*states, row)
        check_pivots(machine, pivots)
        states = [q_next, v_next, *pressures]
        history.append(states)
    columns = [np.array(column) for column in zip(*history, strict=True)]
    return MeshMotion(*columns, *([np.zeros((len(history), 0))] if len(columns) == 2 else []))


def check_pivots(machine: MeshMachine, pivots: Array) -> None:
    """InvalidInput when the solver divides by zero, or by what is no number."""
    for place, pivot in enumerate(np.asarray(pivots).ravel()):
        if pivot == 0 or not np.isfinite(pivot):
            i = place % machine.rows + 1
            raise InvalidInput(
                f"the solver divides by {pivot:g} in row {i}: the mass matrix of "
                f"'{machine.mechanism.name}' is singular at joint '{machine.name(i)}'. A body "
                "without inertia about its joint, or a state that is no number, does that."
            )


def _vector(name: str, values: Any, size: int) -> Array:
    numbers: Array = np.asarray(values, dtype=np.float64)
    if numbers.shape != (size,):
        raise InvalidInput(f"{name} has shape {numbers.shape}; expected ({size},).")
    return numbers

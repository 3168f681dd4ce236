"""Batched runs of a long machine: all runs step together."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.loops.loop import LoopResult
from phalanx.mechanism.pose import Array
from phalanx.simulation.integrators.integrators import FixedStep
from phalanx.simulation.setup.setup import Setup
from phalanx.simulation.traversed.field import Extra, TraversedField, Workspace
from phalanx.simulation.traversed.interpreted import Interpreted
from phalanx.simulation.traversed.stepping import step_of

CARRIED = ("q_next", "v_next", "z_next", "t_next", "passage_next", "good_next")


@final
class TraversedLoop:
    """Takes the arguments of a compiled loop, and gives what it gives.

    Attributes:
        inputs: Names and trailing shapes of what it takes.
        threads: How many share the runs of a pass.
    """

    def __init__(
        self,
        setup: Setup,
        integrator: FixedStep,
        step: float,
        objective: Callable[..., SX] | None,
        recorded: tuple[str, ...],
        threads: int,
    ) -> None:
        """Compile; see :class:`phalanx.simulation.batch.loop.BatchLoop`."""
        self.field, self.h = TraversedField(setup, threads), step
        self.step, self.threads, self.recorded = step_of(integrator), threads, recorded
        m, layout = setup.mechanism, self.field.layout
        self.objective = None if objective is None else _objective(objective, m.nq, m.nv)
        self.streamed = None if layout.law else layout.commanded
        states = {"q": m.nq, "v": m.nv, "z": layout.subsystems.size + (objective is not None)}
        sizes = {name: (size,) for name, size in states.items()}
        external = {name: (size,) for name, size in layout.inputs.items()}
        shapes = sizes | {"t": (), "singularity_state": (0,), "good": ()} | external
        self.inputs = tuple(
            Port(name, math.prod(shape), 1, shape) for name, shape in shapes.items()
        )

    def __call__(
        self,
        steps: int,
        *values: Any,
        every: int = 1,
        progress: Callable[[float], None] | None = None,
    ) -> LoopResult:
        """Take steps; see :class:`phalanx.kernel.loops.loop.LoopKernel`."""
        given, batch = self._broadcast(values, steps)
        runs = math.prod(batch)
        q, v, z, t, _, _, *external = given
        names = [port.name for port in self.inputs[6:]]
        extra: Extra | None = None
        if self.objective is not None:
            extra = _summed(Interpreted(self.objective), runs)
        work = Workspace(self.field, runs, extra)
        y, t = np.hstack([q, v, z]), t.copy()
        good = np.where(np.isfinite(y).all(axis=1), 0, -1) * 1.0
        kept: dict[str, list[Array]] = {name: [] for name in self.recorded}
        with np.errstate(all="ignore"):  # what is not finite is counted
            for k in range(steps if runs else 0):
                held = [
                    x[:, k] if n == self.streamed else x
                    for n, x in zip(names, external, strict=True)
                ]
                work.hold(held)
                tau = None
                if "tau_now" in kept and (k + 1) % every == 0:
                    tau = np.array(work.forces(t, work.begun(t, y))[0])
                y = self.step(work, t, y, self.h)
                t = t + self.h
                finite = np.isfinite(y).all(axis=1)
                good = np.where(good < 0, good, np.where(finite, k + 1, -(k + 1)))
                if (k + 1) % every == 0:
                    parts = self._parts(work, y) | {"tau_now": tau}
                    for name, rows in kept.items():
                        rows.append(np.array(parts[name]))
                if progress is not None:
                    progress((k + 1) / steps)
        ends = [*self._parts(work, y).values(), t, np.zeros((runs, 0)), good]
        final = namedtuple("final", CARRIED)(*(x.reshape((*batch, *x.shape[1:])) for x in ends))
        recorded = namedtuple("recorded", self.recorded)(
            *(self._stacked(name, rows, batch) for name, rows in kept.items())
        )
        return LoopResult(final, recorded)

    def _parts(self, work: Workspace, y: Array) -> dict[str, Any]:
        nq, end = work.nq, work.nq + work.nv
        return {"q_next": y[:, :nq], "v_next": y[:, nq:end], "z_next": y[:, end:]}

    def _stacked(self, name: str, rows: list[Array], batch: tuple[int, ...]) -> Array:
        if rows:
            return np.stack(rows, axis=1).reshape(*batch, len(rows), -1)
        m, z = self.field.mechanism, self.field.layout.subsystems.size
        size = {"q_next": m.nq, "v_next": m.nv, "tau_now": m.nv, "z_next": z}[name]
        return np.zeros((*batch, 0, size))

    def _broadcast(self, values: Any, steps: int) -> tuple[list[Array], tuple[int, ...]]:
        """All values with the same leading axes, these as one."""
        arrays, leading, trailing = [], [], []
        for port, value in zip(self.inputs, values, strict=True):
            array = np.asarray(value, np.float64)
            shape = (steps, *port.shape) if port.name == self.streamed else port.shape
            own = array.ndim - len(shape)
            if own < 0 or array.shape[own:] != shape:
                wanted = ", ".join(["...", *map(str, shape)])
                raise InvalidInput(
                    f"'{port.name}' has shape {array.shape}; expected ({wanted}), where ... are "
                    "batch axes."
                )
            arrays.append(array)
            leading.append(array.shape[:own])
            trailing.append(shape)
        try:
            batch = np.broadcast_shapes(*leading)
        except ValueError:
            listed = ", ".join(f"{p.name} {s}" for p, s in zip(self.inputs, leading, strict=True))
            raise InvalidInput(
                f"the batch axes of a rollout's inputs do not broadcast together: {listed}."
            ) from None
        runs = math.prod(batch)
        wide = [
            np.broadcast_to(x, batch + shape).reshape(runs, *shape)
            for x, shape in zip(arrays, trailing, strict=True)
        ]
        return wide, batch


def _objective(objective: Callable[..., SX], nq: int, nv: int) -> ca.Function:
    q, v, tau = SX.sym("q", nq), SX.sym("v", nv), SX.sym("tau", nv)
    rate = SX(objective(q, v, tau))
    if rate.numel() != 1:
        raise InvalidInput(f"an objective is one number, got shape {rate.shape}.")
    return ca.Function("objective", [q, v, tau], [ca.densify(rate)])


def _summed(objective: Interpreted, runs: int) -> Extra:
    def extra(work: Workspace, tau: Array, power: Array, out: Array) -> None:
        out[...] = objective(runs, work.q, work.v, tau)[0]

    return extra

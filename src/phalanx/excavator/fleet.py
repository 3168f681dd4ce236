"""Thousands of excavators at once: every machine with a load and an operator of its own.

All of them are one call of a compiled loop. What a machine is told beforehand is a number for its
load and a short table for its operator, so a fleet takes no more memory than what is recorded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import radians
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.dynamics import Dynamics
from phalanx.errors import InvalidInput
from phalanx.excavator.excavator import Excavator, Mode, mode_number
from phalanx.excavator.rehearsed import Rehearsed
from phalanx.mechanism import Body, attach
from phalanx.simulation.rollout import Rollouts
from phalanx.simulation.run import whole_steps

Array = NDArray[np.floating[Any]]

PAYLOAD, BUCKET_CENTRE, TIP = "payload", "bucket_centre", "teeth"
HEAVIEST = 900.0  # [kg] of a load: about a heaped bucket of loam
LOOK = 0.1  # [s] between two looks at the joints
SPILT = 1.0  # [kg]; less of a load is not missed
BEYOND = radians(5.0)  # past a limit; control aims for the limit at most, momentum goes on


@final
@dataclass(frozen=True)
class Summary:
    """A fleet's run in a few numbers.

    Attributes:
        machines: How many there were.
        seconds: Time that each of them lived through [s].
        wall_time: Time it took [s].
        lost: Machines whose state left finite numbers; the others are what follows is about.
        beyond_limits: Share whose joints were seen beyond their limits.
        spilled: Share that ended with less in the bucket than it began with; None without ground.
        tip_mean: Where the teeth ended [m], shape (3,).
        tip_spread: Standard deviations of that [m], shape (3,).
    """

    machines: int
    seconds: float
    wall_time: float
    lost: int
    beyond_limits: float
    spilled: float | None
    tip_mean: Array
    tip_spread: Array

    @property
    def ratio(self) -> float:
        """Machine-seconds a second: how many times faster than real time, all machines counted."""
        return self.machines * self.seconds / self.wall_time


@final
@dataclass(frozen=True, eq=False)
class FleetRun:
    """What became of a fleet.

    Attributes:
        fleet: The machines.
        seconds: Length of the run [s].
        wall_time: Time it took, without compiling [s].
        time: Of recorded positions [s], shape (T,).
        q: Positions, shape (machines, T, nq).
        final_q: Positions at the end, shape (machines, nq).
        final_v: Velocities at the end, shape (machines, nv).
        load: In the buckets at the end [kg], shape (machines,).
        finite: Which machines kept finite numbers, shape (machines,).
    """

    fleet: Fleet
    seconds: float
    wall_time: float
    time: Array
    q: Array
    final_q: Array
    final_v: Array
    load: Array
    finite: NDArray[np.bool_]

    @property
    def tips(self) -> Array:
        """Where the teeth ended [m], shape (machines, 3); NaN for machines that were lost."""
        tips = np.full((len(self.final_q), 3), np.nan)
        dynamics = Dynamics(self.fleet.excavator.mechanism)
        kept = np.ascontiguousarray(self.final_q[self.finite])
        if len(kept):
            tips[self.finite] = dynamics.forward_kinematics(kept, frame=TIP)[:, :3, 3]
        return tips

    @property
    def beyond_limits(self) -> NDArray[np.bool_]:
        """Which machines were seen with a joint far beyond its limits, shape (machines,)."""
        m = self.fleet.excavator.mechanism
        low, high = m.per_freedom("lower") - BEYOND, m.per_freedom("upper") + BEYOND
        out = (self.q < low) | (self.q > high)
        return np.asarray(out.any(axis=(1, 2)))

    def summary(self) -> Summary:
        """The run in a few numbers."""
        good = self.finite
        kept, some = self.tips[good], bool(good.any())
        dug = self.fleet.excavator.ground is not None
        spilled = self.load < self.fleet.payloads - SPILT
        return Summary(
            machines=len(good),
            seconds=self.seconds,
            wall_time=self.wall_time,
            lost=int(np.count_nonzero(~good)),
            beyond_limits=float(self.beyond_limits[good].mean()) if some else 0.0,
            spilled=(float(spilled[good].mean()) if some else 0.0) if dug else None,
            tip_mean=kept.mean(axis=0) if some else np.full(3, np.nan),
            tip_spread=kept.std(axis=0) if some else np.full(3, np.nan),
        )


@final
class Fleet:
    """Excavators of one kind, each with its load and its operator."""

    def __init__(
        self,
        excavator: Excavator,
        payloads: ArrayLike,
        sticks: ArrayLike,
        *,
        hold: float = 1.0,
        mode: Mode = "JOINT",
        threads: int | None = None,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> None:
        """Compile the loop.

        Args:
            excavator: The kind. With ground, loads are soil that can be spilt; without, a body of
                that mass is fixed in the bucket.
            payloads: Load of each machine at the begin [kg], shape (machines,).
            sticks: Deflections of -1 to 1, shape (machines, rows, 4); row k holds from k · hold
                on, the last one for good.
            hold: Time that a row lasts [s].
            mode: What sticks mean.
            threads: All processors when not given.
            dtype: Of the numbers.

        Raises:
            InvalidInput: When shapes or values do not fit.
        """
        loads, deflections = np.asarray(payloads, float), np.asarray(sticks, float)
        mode_number(mode)
        if loads.ndim != 1 or not len(loads) or not (np.isfinite(loads) & (loads >= 0)).all():
            raise InvalidInput(
                f"payloads have shape {loads.shape}; expected one mass [kg] a machine, finite and "
                "not negative."
            )
        full = excavator.ground.full_load if excavator.ground else np.inf
        if loads.max() > full:
            raise InvalidInput(
                f"a payload of {loads.max():g} kg; a heaped bucket of this soil holds {full:g} kg."
            )
        if deflections.ndim != 3 or deflections.shape[::2] != (len(loads), 4):
            raise InvalidInput(
                f"sticks have shape {deflections.shape}; expected ({len(loads)}, rows, 4)."
            )
        if not (np.abs(deflections) <= 1).all():
            raise InvalidInput("sticks must be deflections of -1 to 1.")
        if not excavator.ground:
            excavator = with_payload(excavator)
        self.excavator, self.payloads, self.sticks = excavator, loads, deflections
        self.hold, self.mode = hold, mode
        self._rehearsed = Rehearsed(excavator.control, deflections.shape[1], hold)
        self.rollouts: Rollouts = excavator.rollouts(
            control=self._rehearsed,
            parameters=() if excavator.ground else (f"{PAYLOAD}.mass",),
            record=("q",),
            threads=threads,
            dtype=dtype,
        )
        # all begin in one posture: what carries the machine there is found once
        beside = self.rollouts.beside
        self._states: dict[str, Array] = dict(beside.split(beside.initial(excavator.q0)))
        if excavator.ground:
            self._states["soil_load"] = loads[:, None]

    @staticmethod
    def make(
        excavator: Excavator,
        machines: int = 4096,
        *,
        rows: int = 15,
        hold: float = 1.0,
        heaviest: float = HEAVIEST,
        seed: int = 0,
        mode: Mode = "JOINT",
        threads: int | None = None,
        dtype: Literal["float64", "float32"] = "float64",
    ) -> Fleet:
        """A fleet with loads and operators drawn at random, evenly.

        Args:
            excavator: The kind.
            machines: How many.
            rows: Of every operator's table.
            hold: Time that a row lasts [s].
            heaviest: Load [kg]; with ground at most a heaped bucket.
            seed: Of what is drawn.
            mode: What sticks mean.
            threads: All processors when not given.
            dtype: Of the numbers.

        Raises:
            InvalidInput: When a number is not usable.
        """
        if int(machines) != machines or machines < 1:
            raise InvalidInput(f"machines={machines}; expected a whole number of at least 1.")
        if int(rows) != rows or rows < 1:
            raise InvalidInput(f"rows={rows}; expected a whole number of at least 1.")
        if not 0 <= heaviest < np.inf:
            raise InvalidInput(f"heaviest={heaviest}; expected a mass of 0 or more [kg].")
        rng = np.random.default_rng(seed)
        most = min(heaviest, excavator.ground.full_load) if excavator.ground else heaviest
        loads = rng.uniform(0, most, int(machines))
        sticks = rng.uniform(-1, 1, (int(machines), int(rows), 4))
        return Fleet(excavator, loads, sticks, hold=hold, mode=mode, threads=threads, dtype=dtype)

    def run(self, seconds: float = 15.0) -> FleetRun:
        """Let all of them work, in one call.

        Raises:
            InvalidInput: When the time is no whole number of steps.
        """
        excavator = self.excavator
        steps = whole_steps(seconds, excavator.step)
        every = min(steps, max(1, round(LOOK / excavator.step)))
        commands = excavator.commands(self.sticks, self.mode)
        inputs: dict[str, Array] = {
            "script": self._rehearsed.script(commands),
            "mode": mode_number(self.mode),
        }
        if not excavator.ground:
            inputs[f"{PAYLOAD}.mass"] = self.payloads
        begun = time.perf_counter()
        result = self.rollouts(
            excavator.q0,
            np.zeros(excavator.mechanism.nv),
            steps=steps,
            inputs=inputs,
            states=self._states,
            every=every,
        )
        elapsed = time.perf_counter() - begun
        assert result.q is not None
        finite = np.ones(len(self.payloads), dtype=np.bool_)
        for values in (result.final_q, result.final_v, *result.final_states.values()):
            finite &= np.isfinite(values).all(axis=-1)
        load = result.final_states["soil_load"][:, 0] if excavator.ground else self.payloads
        return FleetRun(
            self,
            seconds,
            elapsed,
            result.time,
            result.q,
            result.final_q,
            result.final_v,
            load,
            finite,
        )


def with_payload(excavator: Excavator) -> Excavator:
    """The same with a body in its bucket whose mass can be chosen."""
    if any(body.name == PAYLOAD for body in excavator.mechanism.bodies):
        return excavator
    loaded = attach(excavator.mechanism, BUCKET_CENTRE, Body(PAYLOAD))
    return replace(excavator, mechanism=loaded)

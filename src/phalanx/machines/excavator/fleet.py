"""Fleet: a batch of excavators, each with its own load and operator.

All of them are one call of a compiled loop. The inputs of a machine are a number for its
load and a short table for its operator, so a fleet takes no more memory than what is recorded.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.errors import InvalidInput
from phalanx.machines.excavator.excavator import Excavator, Mode, mode_number
from phalanx.machines.excavator.fleet_run import FleetRun
from phalanx.machines.excavator.scripted_operator import ScriptedOperator
from phalanx.mechanism import Body, attach
from phalanx.simulation.batch.rollouts import CompiledRollout
from phalanx.simulation.run.progress import Told
from phalanx.simulation.run.steps import whole_steps

Array = NDArray[np.floating[Any]]

PAYLOAD, BUCKET_CENTRE = "payload", "bucket_centre"
HEAVIEST = 900.0  # [kg] of a load: about a heaped bucket of loam
LOOK = 0.1  # [s] between two looks at the joints


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
        self.hold, self.mode = hold, mode
        mode_number(self.mode)
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
        self._rehearsed = ScriptedOperator(excavator.control, deflections.shape[1], self.hold)
        self.rollouts: CompiledRollout = excavator.rollouts(
            control=self._rehearsed,
            parameters=() if excavator.ground else (f"{PAYLOAD}.mass",),
            record=("q",),
            threads=threads,
            dtype=dtype,
        )
        # all begin in one posture: what carries the machine there is found once
        beside = self.rollouts.layout.subsystems
        self._states: dict[str, Array] = dict(beside.split(beside.initial(excavator.q0)))
        if excavator.ground:
            self._states["soil_load"] = loads[:, None]

    @staticmethod
    def make(
        excavator: Excavator,
        machines: int = 4096,
        *,
        rows: int = 15,
        heaviest: float = HEAVIEST,
        seed: int = 0,
        hold: float = 1.0,
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

    def run(self, seconds: float = 15.0, *, progress: Told = None) -> FleetRun:
        """Let all of them work, in one call; of ``progress`` see :func:`phalanx.rollout`.

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
            progress=progress,
        )
        elapsed = time.perf_counter() - begun
        assert result.q is not None
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
            ~result.diverged,
        )


def with_payload(excavator: Excavator) -> Excavator:
    """The same with a body in its bucket whose mass can be chosen."""
    if any(body.name == PAYLOAD for body in excavator.mechanism.bodies):
        return excavator
    loaded = attach(excavator.mechanism, BUCKET_CENTRE, Body(PAYLOAD))
    return replace(excavator, mechanism=loaded)

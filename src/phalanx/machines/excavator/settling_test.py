"""Settling test: joint speeds after the sticks are let go, for a batch of postures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.machines.excavator.excavator import Excavator, Mode, mode_number
from phalanx.machines.excavator.fleet import HEAVIEST, PAYLOAD, with_payload
from phalanx.machines.excavator.scripted_operator import ScriptedOperator
from phalanx.mechanism.library.cat215b_cylinders import LIMITS, OPERATED, cat215b_posture

Array = NDArray[np.floating[Any]]

STILL = 0.01  # [rad/s]; a joint that is slower than this rests
HOLD, ROWS = 0.5, 4  # sticks are held for one to four times half a second [s]
WATCHED = 4.0  # [s] after the last release
LOOK = 5e-3  # [s] between two looks: eight in a swing of the bucket on its oil


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Releases:
    """Sticks that are held for a while and let go, each on a machine of its own.

    Attributes:
        postures: Angles of swing, boom, stick and bucket at the begin [rad], shape (cases, 4).
        payloads: In the buckets [kg], shape (cases,). Pressures at the begin carry the empty
            machine: a load falls into the oil, and its swing is still there when sticks move.
        sticks: Deflections of -1 to 1, shape (cases, 4).
        held: Half seconds for which sticks are held, 1 to 4, shape (cases,).
    """

    postures: Array
    payloads: Array
    sticks: Array
    held: NDArray[np.integer[Any]]

    @staticmethod
    def draw(cases: int, seed: int = 0) -> Releases:
        """Cases over the whole envelope: postures, loads, and every stick either way.

        A joint stands at one of its limits in a fifth of the cases and evenly between them in
        others; a third of the buckets are empty, a third full. Two thirds hold one stick at its
        stop, in turn; the others all four somewhere.

        Raises:
            InvalidInput: When there is no case.
        """
        if int(cases) != cases or cases < 1:
            raise InvalidInput(f"cases={cases}; expected a whole number of at least 1.")
        rng, n = np.random.default_rng(seed), int(cases)
        low, high = np.array([LIMITS.get(joint, (-pi, pi)) for joint in OPERATED]).T
        postures = rng.uniform(low, high, (n, 4))
        at_limit = rng.random((n, 4)) < 0.2
        postures = np.where(at_limit, np.where(rng.random((n, 4)) < 0.5, low, high), postures)
        payloads = HEAVIEST * np.clip(rng.uniform(-1, 2, n), 0, 1)
        turn = np.arange(n) % 8
        sticks = np.zeros((n, 4))
        sticks[np.arange(n), turn // 2] = np.where(turn % 2, 1.0, -1.0)
        several = rng.random(n) < 1 / 3
        sticks[several] = rng.uniform(-1, 1, (int(several.sum()), 4))
        return Releases(postures, payloads, sticks, rng.integers(1, ROWS + 1, n))

    def run(
        self, excavator: Excavator, mode: Mode = "JOINT", threads: int | None = None
    ) -> AfterRelease:
        """Let all of them move and let go, in one call.

        Args:
            excavator: The kind; its ground is left out.
            mode: What sticks mean.
            threads: All processors when not given.
        """
        excavator = with_payload(replace(excavator, ground=None))
        m, h = excavator.mechanism, excavator.step
        scripted = ScriptedOperator(excavator.control, ROWS + 1, HOLD)
        rollouts = excavator.rollouts(
            control=scripted, parameters=(f"{PAYLOAD}.mass",), record=("v",), threads=threads
        )
        holding = np.arange(ROWS + 1) < self.held[:, None]
        commands = excavator.commands(self.sticks, mode)[:, None, :] * holding[..., None]
        result = rollouts(
            np.array([cat215b_posture(m, *posture) for posture in self.postures]),
            np.zeros(m.nv),
            steps=round((ROWS * HOLD + WATCHED) / h),
            every=max(1, round(LOOK / h)),
            inputs={
                "script": scripted.script(commands),
                "mode": mode_number(mode),
                f"{PAYLOAD}.mass": self.payloads,
            },
        )
        assert result.v is not None
        speeds = np.abs(result.v[..., [m.v_slices[joint].start for joint in OPERATED]])
        # a state that left the numbers has not come to rest
        speeds = np.where(np.isfinite(speeds), speeds, np.inf)
        return AfterRelease(result.time - HOLD * self.held[:, None], speeds)


@short_repr
@final
@dataclass(frozen=True, eq=False)
class AfterRelease:
    """How fast the joints were.

    Attributes:
        since: Time since the release [s], shape (cases, looks); negative while sticks are held.
        speeds: Of swing, boom, stick and bucket [rad/s], shape (cases, looks, 4); infinite where
            the state left finite numbers.
    """

    since: Array
    speeds: Array

    def fastest_after(self, wait: float) -> Array:
        """Largest speed from so long after the release to the end [rad/s], shape (cases, 4)."""
        watched = (self.since >= wait)[..., None]
        return np.asarray(np.where(watched, self.speeds, 0.0).max(axis=1))

    def time_to_rest(self, still: float = STILL) -> Array:
        """When each joint was last seen faster than this [s after release], shape (cases, 4)."""
        loud = (self.speeds > still) & (self.since > 0)[..., None]
        return np.asarray(np.where(loud, self.since[..., None], 0.0).max(axis=1))

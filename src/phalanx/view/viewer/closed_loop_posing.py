"""Posing of machines with closed loops, one slider at a time.

A slider goes to its new value in short strides, and the loops are closed after each from the
posture before, so that the machine stays in the way it was put together. A motor moves while all
other motors stand still; a passive joint takes whatever it needs along. What cannot close, or would
take a joint beyond its limits or a cylinder beyond its stroke, is not done: the machine stays where
it last could.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.equations.loops.assembly.closed_loops import ClosedLoops, closed_loops
from phalanx.equations.loops.assembly.search import CLOSED
from phalanx.mechanism import Mechanism, Planar
from phalanx.mechanism.joint import velocity_units
from phalanx.mechanism.pose import Array
from phalanx.view.scene.struts import Strokes
from phalanx.view.viewer.joint_sliders import (
    has_quaternion,
    home,
    slider_position,
    slider_values,
)

STRIDE = 0.05  # [m or rad] of a slider
HALVINGS = 6  # of the stride that met an obstacle, to come near it
LARGEST_JUMP = 1.0  # [m or rad] of any joint in a stride: more is another way to put it together
# how far random postures are from home: angles [rad], lengths [of the machine's size]
SWING, SWAY = 0.6, 0.12
_TRIES = 20
_BEYOND = 1e-9  # [m or rad] of a limit that rounding may cost


@dataclass(frozen=True)
class PosingResult:
    """Result of moving a slider.

    Attributes:
        q: A posture in which all loops close and cylinders are whole, shape (nq,).
        obstacle: Why the slider did not get where it was meant to; empty if it did.
    """

    q: Array
    obstacle: str = ""


@final
@dataclass(frozen=True, eq=False)
class ClosedLoopPosing:
    """Postures that a machine can be in.

    Attributes:
        mechanism: A machine with loops, or with cylinders that have a stroke.
        size: Of the machine [m].
    """

    mechanism: Mechanism
    size: float = 1.0

    @cached_property
    def _loops(self) -> ClosedLoops:
        return closed_loops(self.mechanism)

    def turn(
        self, q: Array, slider: int, value: float, go_on: Callable[[], bool] = lambda: True
    ) -> PosingResult:
        """Turn a slider as far as the loops allow.

        Args:
            q: The posture before; loops that are open there are closed first, if they can be.
            slider: Number of the slider, as in v.
            value: Where it is to stand [m or rad].
            go_on: Asked before every stride; where it says no, the slider stops on its way.
        """
        held = self._held(slider)
        before = float(slider_values(self.mechanism, q)[slider])
        strides = max(1, int(np.ceil(abs(value - before) / STRIDE)))
        for stride in range(1, strides + 1):
            if not go_on():
                break
            way = before + stride / strides * (value - before) if stride < strides else value
            after, obstacle = self._stride(q, slider, way, held)
            if obstacle:
                return PosingResult(self._nearer(q, slider, way, held, go_on), obstacle)
            q = after
        return PosingResult(q)

    def _stride(
        self, q: Array, slider: int, value: float, held: NDArray[np.bool_]
    ) -> tuple[Array, str]:
        """The posture with a slider a little further, and why it is none to go to."""
        sliders = slider_values(self.mechanism, q)
        sliders[slider] = value
        reached = self._loops.search.close(slider_position(self.mechanism, sliders, q), held)
        obstacle = self._obstacle(q, reached.q) if reached.closes else "the loops do not close"
        return reached.q, obstacle

    def _nearer(
        self,
        q: Array,
        slider: int,
        beyond: float,
        held: NDArray[np.bool_],
        go_on: Callable[[], bool],
    ) -> Array:
        """The posture on the way to where there is none, as near as halving comes."""
        for _ in range(HALVINGS):
            if not go_on():
                break
            middle = (float(slider_values(self.mechanism, q)[slider]) + beyond) / 2
            after, obstacle = self._stride(q, slider, middle, held)
            if obstacle:
                beyond = middle
            else:
                q = after
        return q

    @cached_property
    def home(self) -> Array:
        """The closed posture nearest to all joints at zero; that itself if none is found."""
        start = home(self.mechanism)
        closed = [q for q in self._closed_from(start) if q is not None]
        within = (q for q in closed if not self._beyond_end(q))
        return next(within, closed[0] if closed else start)

    def _closed_from(self, start: Array) -> Iterator[Array | None]:
        """Closed postures, from the nearest to any at all."""
        nobody = np.zeros(self.mechanism.nv, dtype=bool)
        near = self._loops.search.close(start)
        yield near.q if near.closes else None
        if not near.closes or self._beyond_end(near.q):
            far = self._loops.search.nearest(start, nobody, anywhere=True)
            yield far.q if far.closes else None

    def random(self, rng: np.random.Generator) -> Array:
        """A closed posture around home, within limits; home if none is found."""
        spread = np.concatenate(
            [
                [SWING if unit == "rad" else SWAY * self.size for unit in velocity_units(j)]
                for j in self.mechanism.moving_joints
            ]
        )
        for attempt in range(_TRIES):
            way = rng.uniform(-1, 1, len(spread)) * spread * (1 - attempt / _TRIES)
            reached = self._loops.search.close(self._loops.plain.moved(self.home, way))
            if reached.closes and not self._beyond_end(reached.q):
                return reached.q
        return self.home

    @property
    def drives_suffice(self) -> bool:
        """Whether the motors' positions leave no freedom to passive joints."""
        return bool(self._motors.sum() >= self._freedoms)

    def _held(self, slider: int) -> NDArray[np.bool_]:
        """Velocities that closing may not use: the slider's own, and those of other motors."""
        m = self.mechanism
        held = np.zeros(m.nv, dtype=bool)
        joint = next(j for j in m.moving_joints if slider < m.v_slices[j.name].stop)
        # sliders of these are not the velocities of the same number
        coupled = has_quaternion(joint) or isinstance(joint.motion, Planar)
        held[m.v_slices[joint.name] if coupled else slider] = True
        if joint in m.actuated_joints and self._motors.sum() <= self._freedoms:
            held |= self._motors
        return held

    @cached_property
    def _motors(self) -> NDArray[np.bool_]:
        """Which velocities motors have."""
        motors = np.zeros(self.mechanism.nv, dtype=bool)
        for joint in self.mechanism.actuated_joints:
            motors[self.mechanism.v_slices[joint.name]] = True
        return motors

    @cached_property
    def _freedoms(self) -> int:
        from phalanx.equations.loops.assembly.independent import independent_rows

        return self.mechanism.nv - len(independent_rows(self.mechanism))

    def _obstacle(self, before: Array, after: Array) -> str:
        """Why a closed posture is none to go to; empty if it is one."""
        was_closed = np.abs(self._loops.search.openings(before)).max(initial=0.0) <= CLOSED
        if was_closed and np.abs(after - before).max(initial=0.0) > LARGEST_JUMP:
            return "the machine would have to be put together in another way"
        return self._beyond_limit(after) or self._strokes.obstacle(before, after)

    @cached_property
    def _strokes(self) -> Strokes:
        return Strokes(self.mechanism)

    def _beyond_end(self, q: Array) -> str:
        """Which limit or stroke a posture leaves; empty if none."""
        return self._beyond_limit(q) or self._strokes.obstacle(None, q)

    def _beyond_limit(self, q: Array) -> str:
        for joint in self.mechanism.moving_joints:
            if not has_quaternion(joint):
                x = q[self.mechanism.q_slices[joint.name]]
                nearest = np.clip(x, joint.lower, joint.upper)
                if np.abs(x - nearest).max() > _BEYOND:
                    return f"joint '{joint.name}' is at its limit"
        return ""

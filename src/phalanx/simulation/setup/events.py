"""Events during a run: a payload is picked up or dropped, a joint is cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Pose, attach
from phalanx.simulation.run.joint_release import keeps_other_coordinates


@short_repr
@final
@dataclass(frozen=True)
class Event:
    """At ``time`` [s] the machine becomes ``change(machine)``; positions and velocities stay.

    Joints of the new machine may float that did not before (:func:`cut`); the motion goes on.
    """

    time: float
    change: Callable[[Mechanism], Mechanism]
    name: str = "change"

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.time < math.inf:
            raise InvalidInput(f"event '{self.name}' is at {self.time} s; expected zero or later.")

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """The machine afterwards.

        Raises:
            InvalidInput: When its coordinates would not be those of before.
        """
        after = self.change(mechanism)
        if not keeps_other_coordinates(mechanism, after):
            raise InvalidInput(
                f"event '{self.name}' changes the number of coordinates from {mechanism.nv} to "
                f"{after.nv}; a run keeps its state."
            )
        return after


@checked
def pick_up(time: float, frame: str, payload: Body, pose: Pose | None = None) -> Event:
    """At ``time``, fix a body to a frame. It is taken along at the frame's velocity."""
    return Event(time, lambda m: attach(m, frame, payload, pose), f"pick up {payload.name}")


@checked
def drop(time: float, payload: str) -> Event:
    """At ``time``, let a body go that was picked up before."""

    def without(mechanism: Mechanism) -> Mechanism:
        joint = next((j for j in mechanism.joints if j.child == payload), None)
        if joint is None or joint.motion.nv or any(j.parent == payload for j in mechanism.joints):
            held = [j.child for j in mechanism.joints if not j.motion.nv]
            raise UnknownName(f"mechanism '{mechanism.name}'", "held body", payload, held)
        bodies = [body for body in mechanism.bodies if body.name != payload]
        frames = [frame for frame in mechanism.frames if frame.body != payload]
        known = {*(body.name for body in bodies), *(frame.name for frame in frames)}
        return replace(
            mechanism,
            bodies=bodies,
            joints=[j for j in mechanism.joints if j is not joint],
            frames=frames,
            fluid=mechanism.fluid and mechanism.fluid.only_on(known),
        )

    return Event(time, without, f"drop {payload}")


@checked
def cut(time: float, joint: str) -> Event:
    """At ``time``, let go of a joint: what hangs on it flies on as it moved.

    The joint becomes a floating one of the same name, without damping, friction, limits or rotor.
    The whole run is recorded in these coordinates, also what was before.
    """

    def without(mechanism: Mechanism) -> Mechanism:
        held = mechanism.joint(joint)
        if isinstance(held.motion, Floating):
            raise InvalidInput(f"joint '{joint}' floats already; there is nothing to cut.")
        if mechanism.loops:
            raise InvalidInput(
                f"'{mechanism.name}' has loops; joints can be cut in machines without."
            )
        follower = next(
            (j.name for j in mechanism.joints if j.mimic and j.mimic.leader == joint), ""
        )
        if held.mimic or follower:
            pair = (
                f"follows '{held.mimic.leader}'" if held.mimic else f"is followed by '{follower}'"
            )
            raise InvalidInput(f"joint '{joint}' {pair}; joints that move together cannot be cut.")
        free = Joint(held.name, held.parent, held.child, Floating(), held.pose)
        joints = [free if j is held else j for j in mechanism.joints]
        return replace(mechanism, joints=joints)

    return Event(time, without, f"cut {joint}")

"""Wheeled platforms on a plane, and two of them that carry a load between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.mechanism.body import Body, Box, Cylinder, Frame, Visual
from phalanx.mechanism.joint import Continuous, Joint, Planar
from phalanx.mechanism.library.bars import NO_DRIVE, check_sizes
from phalanx.mechanism.library.visual_shapes import DARK, GREY, YELLOW
from phalanx.mechanism.loop import Loop, PlanarPin
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Pose, rotation_about
from phalanx.mechanism.rolling import RollingContact

AXLE = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class WheeledPlatform:
    """Sizes of a platform with two driven wheels on one axle.

    Attributes:
        mass: Of the platform without its wheels [kg].
        moment: Of the same about the vertical through the axle's middle [kg·m²].
        wheel_mass: Of each wheel, a uniform disk [kg].
        radius: Of the wheels [m].
        track: Between the wheels [m].
        hitch: Where a load is fastened, ahead of the axle [m].
    """

    mass: float = 10.0
    moment: float = 0.4
    wheel_mass: float = 0.8
    radius: float = 0.08
    track: float = 0.4
    hitch: float = 0.1

    def __post_init__(self) -> None:
        check_sizes(
            "a platform",
            mass=self.mass,
            moment=self.moment,
            wheel_mass=self.wheel_mass,
            radius=self.radius,
            track=self.track,
        )


@dataclass(frozen=True)
class Wheeled:
    """A machine on wheels: its bodies and joints, and what rolls."""

    mechanism: Mechanism
    contacts: tuple[RollingContact, ...]


def differential_drive(sizes: WheeledPlatform | None = None) -> Wheeled:
    """A platform on the xy-plane with a driven wheel on each side.

    ``platform`` is its pose (x, y, heading), the middle of the axle at the origin, x ahead;
    ``wheel_left`` and ``wheel_right`` turn forward. Two freedoms of five remain.
    """
    sizes = sizes or WheeledPlatform()
    bodies, joints, contacts = _platform("", sizes, Pose())
    return Wheeled(
        Mechanism(
            "differential_drive", [Body("ground"), *bodies], joints, gravity=np.array(GRAVITY)
        ),
        contacts,
    )


def team(
    sizes: WheeledPlatform | None = None, *, load: float = 5.0, length: float = 1.2
) -> Wheeled:
    """Two platforms, one beside the other, with a bar across their hitches.

    The bar turns freely on both hitches: a loop through the ground, the platforms and the load.
    Platforms ``a`` and ``b`` have wheels ``a_wheel_left`` and so on. Three freedoms remain: the
    platforms are held at a distance, and each may head where it will.

    Args:
        sizes: Of both platforms.
        load: Mass of the bar [kg].
        length: Between the hitches [m].
    """
    sizes = sizes or WheeledPlatform()
    check_sizes("a load", load=load, length=length)
    bodies, joints, frames, loops = [Body("ground")], [], [], []
    contacts: list[RollingContact] = []
    for name, y in (("a_", length / 2), ("b_", -length / 2)):
        place = Pose(translation=np.array([0.0, y, 0.0]))
        parts, moves, rolls = _platform(name, sizes, place)
        bodies += parts
        joints += moves
        contacts += rolls
        frames += [
            Frame(
                f"{name}hitch",
                f"{name}platform",
                Pose(translation=np.array([sizes.hitch, 0.0, sizes.radius])),
            ),
            Frame(f"{name}end", "load", Pose(translation=np.array([0.0, y, 0.0]))),
        ]
        loops.append(Loop(f"{name}pin", f"{name}hitch", f"{name}end", PlanarPin()))
    moment = load * length**2 / 12
    drawn = Visual(Box((0.05, length, 0.05)), colour=YELLOW)
    bar = Body("load", load, inertia=np.diag([moment, moment / 100, moment]), visuals=(drawn,))
    start = Pose(translation=np.array([sizes.hitch, 0.0, 2 * sizes.radius]))
    joints.append(Joint("load", "ground", "load", Planar(), start, effort_limit=NO_DRIVE))
    return Wheeled(
        Mechanism("team", [*bodies, bar], joints, frames, loops, np.array(GRAVITY)), tuple(contacts)
    )


def _platform(
    name: str, sizes: WheeledPlatform, place: Pose
) -> tuple[list[Body], list[Joint], tuple[RollingContact, ...]]:
    """A platform with its wheels, standing on the ground at a place."""
    r, m = sizes.radius, sizes.wheel_mass
    spin = m * r**2 / 2
    up = Pose(place.rotation, place.translation + np.array([0.0, 0.0, r]))
    deck = Visual(Box((1.5 * sizes.track, 0.8 * sizes.track, r)), colour=GREY)
    bodies = [
        Body(
            f"{name}platform",
            sizes.mass,
            inertia=sizes.moment * np.diag([0.6, 0.6, 1.0]),
            visuals=(deck,),
        )
    ]
    joints = [
        Joint(f"{name}platform", "ground", f"{name}platform", Planar(), up, effort_limit=NO_DRIVE)
    ]
    tyre = Visual(Cylinder(r, r / 3), Pose(rotation_about((1.0, 0.0, 0.0), np.pi / 2)), colour=DARK)
    contacts = []
    for side, y in (("left", sizes.track / 2), ("right", -sizes.track / 2)):
        wheel = f"{name}wheel_{side}"
        bodies.append(Body(wheel, m, inertia=np.diag([spin / 2, spin, spin / 2]), visuals=(tyre,)))
        pose = Pose(translation=np.array([0.0, y, 0.0]))
        axle = Continuous(np.array(AXLE))
        joints.append(Joint(wheel, f"{name}platform", wheel, axle, pose))
        contacts.append(RollingContact(wheel, wheel, r, np.array(AXLE)))
    return bodies, joints, tuple(contacts)

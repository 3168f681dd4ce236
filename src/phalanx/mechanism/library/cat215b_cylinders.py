"""The Caterpillar 215B with the pins of its cylinders and the linkage that turns its bucket.

Masses and hinges are those of Wong's thesis (1991), which drives joints by rotary actuators and
gives no pins. The pins were chosen here, for a machine that looks like a hoe of 18 t and whose
cylinders have a lever wherever they stand:

========  ================================  ==============  =================  ================
cylinder  from, to                          joint [deg]     length [m]         lever [m]
========  ================================  ==============  =================  ================
boom      cab's foot to the boom's bend     -45 … 60        1.71 … 2.89        0.38 … 0.75
stick     boom's back to the stick's rear   -155 … -30      3.62 … 2.21        0.32 … 0.80
bucket    stick's rear to the tipping link  -120 … 30       1.96 … 1.22        0.13 … 0.37
========  ================================  ==============  =================  ================

(Lever: metres of cylinder per radian of its joint.) A cylinder is as long as its stroke twice and
its ends when it is out, so its lengths may differ by a factor of 1.7 at most. Boom and stick: the
pins see their hinge under angles between 21° and 152°. Bucket: a search over four-bars that turn
the bucket by 150° took the one whose angles between bars, and between cylinder and tipping link,
stay farthest from 0 and 180°: they are at least 35° off.

Extending raises the boom, pulls the stick in and curls the bucket, as on the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import atan2, cos, radians, sin

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.joint import Joint, Revolute
from phalanx.mechanism.library import visual_shapes_excavator as looks
from phalanx.mechanism.library.bars import NO_DRIVE, Point, along_x, apex, bar, beyond, direction
from phalanx.mechanism.library.cat215b import cat215b
from phalanx.mechanism.loop import Loop, PlanarPin
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Array, Pose, rotation_about
from phalanx.mechanism.strut import Strut

# pins in the frames of their bodies [m]; the cab's lies in the plane of the boom
BOOM_BASE = (1.88, -0.16, 0.425)  # cab: 0.75 m below and before the boom's hinge
BOOM_ROD: Point = (2.30, 0.65)  # boom: where it bends
STICK_BASE: Point = (2.60, 1.30)  # boom: on its back, behind the bend
STICK_ROD: Point = (-0.74, 0.30)  # stick: its rear end, 0.8 m from the hinge
BUCKET_BASE: Point = (-0.09, 0.46)  # stick: on its back, above the hinge
TIPPING_PIN: Point = (1.45, 0.0)  # stick: 0.35 m before the bucket's hinge
BUCKET_PIN: Point = (1.80, 0.0)  # stick: the thesis's hinge of the bucket

TIPPING_LINK, COUPLER, EAR = 0.50, 0.49, 0.34  # pin to pin [m]
EAR_ANGLE = radians(95.0)  # of the ear from the bucket's x
TIPPING_MASS, COUPLER_MASS = 28.0, 22.0  # steel bars of about 0.1 m [kg]
BAR_RADIUS = 0.05  # [m]


def _strut(name: str, length: float, radius: float, aside: tuple[float, ...] = (0.0,)) -> Strut:
    pins = (f"{name}_cylinder_base", f"{name}_cylinder_rod")
    return Strut(f"{name}_cylinder", *pins, length, radius, 0.6 * radius, aside)


LIMITS = {  # [rad]
    "boom_hinge": (radians(-45.0), radians(60.0)),
    "stick_hinge": (radians(-155.0), radians(-30.0)),
    "bucket_hinge": (radians(-120.0), radians(30.0)),
}
# seen in one piece over the whole stroke; the boom has one on either side
STRUTS = (
    _strut("boom", 1.50, 0.075, (-0.30, 0.30)),
    _strut("stick", 2.00, 0.085),
    _strut("bucket", 1.08, 0.07),
)
OPERATED = ("cab_hinge", "boom_hinge", "stick_hinge", "bucket_hinge")


@checked
def cat215b_cylinders(*, payload: bool = False) -> Mechanism:
    """The excavator of :func:`cat215b` with ``tipping_link`` and ``coupler`` before its bucket.

    The four operated joints have the names, axes and zeros of :func:`cat215b`. The link hangs on
    the stick by ``tipping_hinge``, the coupler on the link by ``coupler_hinge``, and loop
    ``bucket_ear`` closes them to the bucket; all joints at zero close it, and so does
    :func:`cat215b_posture`. Cylinders have no mass of their own and are pairs of frames:
    ``boom_cylinder_base`` and ``boom_cylinder_rod``, likewise ``stick`` and ``bucket``. Only the
    swing has a drive; forces on other joints come from cylinders.

    The link is taken out of the thesis's stick and the coupler out of its bucket, where they are at
    bucket angle zero: with the bucket held there, the machine weighs and moves as the thesis's.
    Where the bucket turns, they turn at rates of their own; its forces differ by 1 %.

    Args:
        payload: As in :func:`cat215b`.
    """
    plain = cat215b(payload=payload)
    tipped, folded = _linkage(0.0)
    knee = beyond(TIPPING_PIN, TIPPING_LINK, tipped)
    link = bar("tipping_link", TIPPING_LINK, TIPPING_MASS, radius=BAR_RADIUS)
    coupler = bar("coupler", COUPLER, COUPLER_MASS, radius=BAR_RADIUS)
    in_stick = _turned(TIPPING_PIN, tipped)
    in_bucket = _turned((knee[0] - BUCKET_PIN[0], knee[1] - BUCKET_PIN[1]), tipped + folded)
    lighter = {
        "stick": _without(plain.body("stick"), link, in_stick),
        "bucket": _without(plain.body("bucket"), coupler, in_bucket),
    }
    return replace(
        plain,
        name="cat215b_cylinders",
        bodies=[
            *(lighter.get(body.name, body) for body in plain.bodies),
            replace(link, visuals=looks.tipping_link(TIPPING_LINK)),
            replace(coupler, visuals=looks.coupler(COUPLER)),
        ],
        joints=[
            *(_operated(joint) for joint in plain.joints),
            _passive("tipping_hinge", "stick", "tipping_link", in_stick),
            _passive(
                "coupler_hinge", "tipping_link", "coupler", _turned((TIPPING_LINK, 0.0), folded)
            ),
        ],
        frames=[
            *plain.frames,
            Frame("boom_cylinder_base", "cab", Pose(translation=np.array(BOOM_BASE))),
            Frame("boom_cylinder_rod", "boom", _turned(BOOM_ROD)),
            Frame("stick_cylinder_base", "boom", _turned(STICK_BASE)),
            Frame("stick_cylinder_rod", "stick", _turned(STICK_ROD)),
            Frame("bucket_cylinder_base", "stick", _turned(BUCKET_BASE)),
            Frame("bucket_cylinder_rod", "tipping_link", along_x(TIPPING_LINK)),
            Frame("coupler_end", "coupler", along_x(COUPLER)),
            Frame("ear", "bucket", _turned(beyond((0.0, 0.0), EAR, EAR_ANGLE))),
        ],
        loops=[Loop("bucket_ear", "ear", "coupler_end", PlanarPin())],
        struts=STRUTS,
    )


def cat215b_posture(
    mechanism: Mechanism,
    cab: float = 0.0,
    boom: float = 0.0,
    stick: float = radians(-90.0),
    bucket: float = 0.0,
) -> Array:
    """Positions at which the operated joints have these angles and the bucket's linkage closes.

    In closed form, with the tipping link on the stick's back; limits of joints are not looked at.

    Args:
        mechanism: A :func:`cat215b_cylinders`, or a machine with its joints or fewer of them, such
            as :func:`cat215b`.
        cab: Angle of the swing [rad].
        boom: Angle of the boom above the horizontal [rad].
        stick: Angle of the stick against the boom [rad].
        bucket: Angle of the bucket against the stick [rad].

    Returns:
        Shape (nq,).

    Raises:
        InvalidInput: When an angle is not finite, or the machine has other joints.
    """
    wanted = dict(zip(OPERATED, (cab, boom, stick, bucket), strict=True))
    for name, angle in wanted.items():
        if not np.isfinite(angle):
            raise InvalidInput(f"the angle of {name} must be a finite number, got {angle}.")
    if "tipping_hinge" in mechanism.q_slices:
        wanted |= _passive_angles(bucket)
    return _assigned(mechanism, wanted)


def _passive_angles(bucket: float) -> dict[str, float]:
    """Angles of the linkage's own joints, which are zero with the bucket's."""
    now, zero = np.array(_linkage(bucket)), np.array(_linkage(0.0))
    # the nearest turn: directions jump by 2π where they cross the negative x axis
    tipping, coupler = (now - zero + np.pi) % (2 * np.pi) - np.pi
    return {"tipping_hinge": float(tipping), "coupler_hinge": float(coupler)}


def _assigned(mechanism: Mechanism, angles: Mapping[str, float]) -> Array:
    q = mechanism.neutral()
    unknown = set(mechanism.q_slices) - set(angles)
    if unknown:
        raise InvalidInput(
            f"mechanism '{mechanism.name}' has joints that no Caterpillar 215B has: "
            f"{', '.join(sorted(unknown))}. Set its positions by mechanism.q_slices."
        )
    for name, place in mechanism.q_slices.items():
        q[place] = angles[name]
    return q


def _linkage(bucket: float) -> tuple[float, float]:
    """Directions of the tipping link in the stick and of the coupler in the link [rad]."""
    ear = beyond(BUCKET_PIN, EAR, EAR_ANGLE + bucket)
    knee = apex(TIPPING_PIN, ear, TIPPING_LINK, COUPLER, left=True, of="bucket linkage")
    tipped = direction(TIPPING_PIN, knee)
    across = direction(knee, ear) - tipped
    return tipped, atan2(sin(across), cos(across))


def _operated(joint: Joint) -> Joint:
    if joint.name not in LIMITS:
        return joint
    lower, upper = LIMITS[joint.name]
    return replace(joint, lower=lower, upper=upper, effort_limit=NO_DRIVE)


def _passive(name: str, parent: str, child: str, pose: Pose) -> Joint:
    return Joint(name, parent, child, Revolute(), pose, effort_limit=NO_DRIVE)


def _turned(point: Point, angle: float = 0.0) -> Pose:
    """A frame in the xy-plane whose x points along ``angle`` [rad]."""
    return Pose(rotation_about((0, 0, 1), angle), np.array([*point, 0.0]))


def _without(body: Body, part: Body, pose: Pose) -> Body:
    """A body after a part, at a pose in it, has been taken out (parallel axes)."""
    centre = pose.rotation @ part.com + pose.translation
    mass = body.mass - part.mass
    com = (body.mass * body.com - part.mass * centre) / mass
    inertia = body.inertia - pose.rotation @ part.inertia @ pose.rotation.T
    inertia = inertia + body.mass * _spread(body.com - com) - part.mass * _spread(centre - com)
    return replace(body, mass=mass, com=com, inertia=inertia)


def _spread(d: Array) -> Array:
    """Inertia of a unit point mass at ``d`` about the origin."""
    return np.asarray(d @ d * np.eye(3) - np.outer(d, d))

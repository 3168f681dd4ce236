"""Units of joint coordinates: radians and metres."""

from __future__ import annotations

from phalanx.mechanism.joint import Joint

# of joints that do not only turn, in the order of v
UNITS: dict[str, tuple[str, ...]] = {
    "prismatic": ("m",),
    "cylindrical": ("rad", "m"),
    "planar": ("m", "m", "rad"),
    "floating": ("m",) * 3 + ("rad",) * 3,
}


def velocity_units(joint: Joint) -> tuple[str, ...]:
    """Unit of each velocity times a second: ``rad`` or ``m``."""
    return UNITS.get(joint.motion.kind, ("rad",) * joint.motion.nv)


def position_units(joint: Joint) -> tuple[str, ...]:
    """Unit of each position: ``rad``, ``m``, or nothing for parts of a quaternion."""
    motion = joint.motion
    if motion.nq == motion.nv:
        return velocity_units(joint)
    return ("m",) * (motion.nq - 4) + ("",) * 4

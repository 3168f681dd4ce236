"""A machine in words, for recordings and their reports."""

from __future__ import annotations

from collections import Counter

from phalanx.mechanism import Mechanism


def machine_words(mechanism: Mechanism) -> str:
    """How many bodies, joints, freedoms and loops a machine has, and what it weighs."""
    kinds = Counter(joint.motion.kind for joint in mechanism.moving_joints)
    joints = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    mass = sum(body.mass for body in mechanism.bodies)
    parts = [
        _count(len(mechanism.bodies), "body", "bodies"),
        _count(len(mechanism.moving_joints), "moving joint") + (f" ({joints})" if joints else ""),
        _count(mechanism.nv, "freedom") + (" before loops" if mechanism.loops else ""),
        *([_count(len(mechanism.loops), "loop")] if mechanism.loops else []),
        f"{mass:.4g} kg",
    ]
    return ", ".join(parts)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"

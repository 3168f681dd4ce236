"""Description of a run's control, machine and joint forces, for recordings and reports."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.base.pickling import made_by
from phalanx.mechanism import Joint, Mechanism
from phalanx.simulation.setup.forces.effort_limits import EffortLimits
from phalanx.simulation.setup.forces.fluid import ModelFluid
from phalanx.simulation.setup.forces.joint_forces import Damping, Friction, JointForce
from phalanx.simulation.setup.forces.stops import Stops, has_limits
from phalanx.simulation.setup.laws import Law
from phalanx.simulation.setup.profile import Profile

SHOWN = 8  # numbers of a list; the rest is dots


def describe_control(control: Any) -> str:
    """Describe what moves the joints, in a sentence for reports."""
    if control is None:
        return "none"
    if isinstance(control, Profile):
        return f"a table of {len(control.time):,} rows, until {control.time[-1]:g} s"
    recipe = made_by(control)
    if recipe is not None:
        make, arguments = recipe
        if isinstance(arguments.get("law"), Law):
            return f"{describe_control(arguments['law'])}; built on the true model"
        numbers = ", ".join(f"{name} = {_number(value)}" for name, value in arguments.items())
        return f"{_first_line(make)} {numbers}".strip()
    function = control.function if isinstance(control, Law) else control
    kind = "a compiled law" if isinstance(control, Law) else "a function in Python"
    name = getattr(function, "__name__", type(function).__name__)
    return f"{kind}, {name}: {_first_line(function)}".rstrip(": ").replace(", <lambda>", "")


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _number(value: Any) -> str:
    """A number, or a list of a few."""
    if value is None or isinstance(value, bool | str):
        return str(value)
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return str(getattr(value, "__name__", type(value).__name__))
    if numbers.size == 0:
        return "()"
    if (numbers == numbers.flat[0]).all():
        return f"{numbers.flat[0]:.6g}"
    shown = ", ".join(f"{x:.6g}" for x in numbers.ravel()[:SHOWN])
    return f"({shown}{', …' if numbers.size > SHOWN else ''})"


def describe_machine(mechanism: Mechanism) -> str:
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


def describe_loads(mechanism: Mechanism, forces: Sequence[JointForce]) -> list[str]:
    """Each force that acts, and in how many joints the machine states what it acts by."""
    moving = [joint for joint in mechanism.joints if joint.motion.nv]
    words = (_load(force, mechanism, moving) for force in forces)
    return [word for word in words if word]


def _load(force: JointForce, mechanism: Mechanism, joints: Sequence[Joint]) -> str:
    stated: list[Any]
    match force:
        case Damping():
            stated = [np.any(joint.damping) for joint in joints]
        case Friction():
            stated = [np.any(joint.dry_friction) for joint in joints]
        case Stops():
            stated = [has_limits(joint) for joint in joints]
        case EffortLimits():
            stated = [np.isfinite(joint.effort_limit).any() for joint in joints]
        case ModelFluid():
            return repr(force) if mechanism.fluid else ""
        case _:
            return repr(force)
    count = sum(map(int, stated))
    return f"{force!r} in {_count(count, 'joint')}" if count else ""


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"

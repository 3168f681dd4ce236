"""Conversion of a machine to what URDF has: links, joints of one freedom, planar and floating ones.

A joint of two freedoms becomes two joints with a link without mass between them; its coordinates
stay what they are. A ball becomes three hinges, whose angles are other coordinates than those of
the ball. A named frame becomes a link without mass that is fixed to its body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, final

import numpy as np

from phalanx.base.errors import InvalidModel
from phalanx.mechanism.body import Body
from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    X,
    Y,
    Z,
)
from phalanx.mechanism.joint_numbers import NUMBERS
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Pose
from phalanx.mechanism.read.report import Remark

# of the numbers of joints, those that are written
SAYABLE_NUMBERS = (
    *("lower", "upper", "velocity_limit", "effort_limit"),
    *("damping", "friction", "rotor_inertia", "gear_ratio"),
)
SAYABLE = {
    Mechanism: {"name", "bodies", "joints", "frames", "loops", "gravity", "struts"}
    | {"actuators", "unsupported"},
    Joint: {"name", "parent", "child", "motion", "pose", "mimic", *SAYABLE_NUMBERS},
}
AXES = {"x": X, "y": Y, "z": Z}
BALLS = (
    "balls, which URDF does not have, are three hinges about x, y and z: their angles are other "
    "coordinates, with other damping, and singular where the second is a right angle"
)
STRUTS = "struts, which URDF does not have, are left out: they are for the eye alone"
ACTUATORS = "actuators, which URDF does not have, are left out: give joint forces"


@final
@dataclass(frozen=True)
class UrdfTree:
    """Tree in terms of URDF.

    Attributes:
        links: Root first.
        joints: In the order of the machine's coordinates.
        remarks: What is not as in the machine.
    """

    links: Sequence[Body]
    joints: Sequence[Joint]
    remarks: Sequence[Remark]


def urdf_tree(mechanism: Mechanism) -> UrdfTree:
    """The machine with each joint as URDF can say it.

    Raises:
        InvalidModel: When something moves or loads the machine that URDF cannot say.
    """
    _check_sayable(mechanism, f"mechanism '{mechanism.name}'")
    links = list(mechanism.bodies)
    joints: list[Joint] = []
    links_taken = {body.name for body in mechanism.bodies}
    links_taken |= {frame.name for frame in mechanism.frames}
    joints_taken = {joint.name for joint in mechanism.joints}
    for joint in mechanism.joints:
        _check_sayable(joint, f"joint '{joint.name}'")
        parts = _parts(joint)
        if len(parts) == 1:
            _check_one_number(joint)
            joints.append(joint)
            continue
        parent, pose = joint.parent, joint.pose
        for k, (suffix, motion) in enumerate(parts):
            last = k == len(parts) - 1
            child = joint.child if last else _free(f"{joint.child}_{suffix}", links_taken)
            if not last:
                links.append(Body(child))
            numbers = {n: np.asarray(getattr(joint, n))[k] for n in NUMBERS}
            if isinstance(joint.motion, Spherical):
                numbers |= {"lower": -np.inf, "upper": np.inf}
            name = _free(f"{joint.name}_{suffix}", joints_taken)
            joints.append(Joint(name, parent, child, motion, pose, **numbers))
            parent, pose = child, Pose()
    for frame in mechanism.frames:
        links.append(Body(frame.name))
        name = _free(f"{frame.name}_fixed", joints_taken)
        joints.append(Joint(name, frame.body, frame.name, Fixed(), frame.pose))
    balls = [joint.name for joint in mechanism.joints if isinstance(joint.motion, Spherical)]
    struts = [strut.name for strut in mechanism.struts]
    actuators = [actuator.name for actuator in mechanism.actuators]
    remarks = [Remark(BALLS, balls), Remark(STRUTS, struts), Remark(ACTUATORS, actuators)]
    return UrdfTree(links, joints, remarks)


def _parts(joint: Joint) -> list[tuple[str, Motion]]:
    """Joints that together move as this one, from the parent outwards."""
    match joint.motion:
        case Fixed() | Revolute() | Continuous() | Prismatic() | Planar() | Floating():
            return [("", joint.motion)]
        case Universal():
            motion = joint.motion
            return [("first", Revolute(motion.first)), ("second", Revolute(motion.second))]
        case Cylindrical():
            axis = joint.motion.axis
            return [("angle", Revolute(axis)), ("shift", Prismatic(axis))]
        case Spherical():
            if np.any(joint.rotor_inertia):
                raise InvalidModel(
                    f"joint '{joint.name}' is a ball with a rotor, which URDF cannot say: three "
                    "hinges would carry it about other axes."
                )
            return [(name, Revolute(np.array(axis))) for name, axis in AXES.items()]
        case _:
            raise InvalidModel(
                f"joint '{joint.name}' is {joint.motion.kind}; URDF has no such joint."
            )


def _check_one_number(joint: Joint) -> None:
    """URDF has one number for all freedoms of a joint, and no limits of those with several."""
    if joint.motion.nv < 2:
        return
    for name in NUMBERS:
        row = np.asarray(getattr(joint, name))
        limited = name in ("lower", "upper") and np.isfinite(row).any()
        if limited or (row != row[0]).any():
            raise InvalidModel(
                f"joint '{joint.name}' is {joint.motion.kind} with {name.replace('_', ' ')} "
                f"{row.tolist()}; URDF cannot say it: a {joint.motion.kind} joint has no position "
                "limits there, and of other numbers one for all its freedoms."
            )


def _check_sayable(thing: Any, who: str) -> None:
    """Refuse what the format has no word for, also of fields that this writer does not know."""
    for field in fields(thing):
        if field.name in SAYABLE[type(thing)]:
            continue
        if not _is_default(field, np.asarray(getattr(thing, field.name), dtype=object)):
            raise InvalidModel(
                f"{who} has {field.name.replace('_', ' ')}, which URDF cannot say; export it "
                "without, or keep the machine in its own format."
            )


def _is_default(field: Field[Any], value: Any) -> bool:
    """Whether a field holds what it has when it is not given, one number for all freedoms."""
    made = field.default if field.default_factory is MISSING else field.default_factory()
    default = np.asarray(made, dtype=object)
    if default.shape not in ((), value.shape):
        return False
    return np.array_equal(np.broadcast_to(default, value.shape), value)


def _free(name: str, taken: set[str]) -> str:
    """The name, with as many underscores behind it as make it new."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name

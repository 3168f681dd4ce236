"""MJCF, MuJoCo's format, compiled by MuJoCo itself and taken from the compiled model.

Positions mean what MuJoCo's ``qpos`` means: a hinge or slide whose reference is not zero (``ref``)
is compensated in its joint frame, a free joint is posed in the world. Quaternions change order from
MuJoCo's (w, x, y, z) to (x, y, z, w); the linear velocity of a free joint is in body axes here.

A body with several joints becomes a chain of massless bodies ``body/joint``. A body whose last
joint does not pass through its origin hangs by a fixed joint on such a body, so that every body
frame stands where MuJoCo has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.base.files import naming_file
from phalanx.mechanism.body import Body
from phalanx.mechanism.joint import (
    Fixed,
    Floating,
    Joint,
    Mimic,
    Motion,
    Prismatic,
    Revolute,
    Spherical,
)
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.motion import joint_pose
from phalanx.mechanism.pose import Array, Pose
from phalanx.mechanism.read.mjcf_actuators import actuators_of
from phalanx.mechanism.read.mjcf_closures import Equality, joint_equalities, loops_and_frames
from phalanx.mechanism.read.mjcf_files import ModelFiles, check_files
from phalanx.mechanism.read.mjcf_fluid import fluid_of
from phalanx.mechanism.read.mjcf_names import BODY, JOINT, name_of, pose_of
from phalanx.mechanism.read.mjcf_numbers import check_finite, check_numbers
from phalanx.mechanism.read.mjcf_process import Compiled, compile_mjcf
from phalanx.mechanism.read.mjcf_shapes import visuals_of
from phalanx.mechanism.read.mjcf_springs import rest_of, spring_remarks, tendon_springs
from phalanx.mechanism.read.mjcf_unsupported import unsupported_parts
from phalanx.mechanism.read.report import Remark, Unsupported

# mjtJoint of MuJoCo's header
FREE, BALL, SLIDE, HINGE = range(4)
UNNAMED = "MuJoCo Model"


def read_mjcf(
    path: Path, package_paths: Sequence[str | Path] = ()
) -> tuple[Mechanism, list[Remark]]:
    """The mechanism in an MJCF file, and what of it was left out.

    Contacts, sensors and flexible bodies are not part of a mechanism, and neither are forces of
    tendons other than springs between two sites, gravity compensation and equalities that have no
    counterpart: all that is named as not honoured.

    Raises:
        ReadError: When the file names files outside its folder, holds a NaN, stands for more than
            is read, takes a mass from a mesh that is not there, or MuJoCo cannot compile it.
        MissingExtra: When MuJoCo is not installed.
    """
    with naming_file(path):
        files = check_files(path, package_paths)
        check_numbers(files.parts)
        compiled = _compiled(path, files)
        model = compiled.model
        check_finite(model)
        mimics, couplings = joint_equalities(model)
        loops, frames, unclosed = loops_and_frames(model)
        bodies, joints = [Body("world", visuals=visuals_of(model, 0, path))], []
        for i in range(1, len(model.body_mass)):
            *inner, outer = _joints_of(model, i, mimics)
            joints += [*inner, outer]
            bodies += [*(Body(joint.child) for joint in inner), _body(model, i, path)]
        by_name = {joint.name: joint for joint in joints}
        loops += [_coupled(model, equality, by_name) for equality in couplings]
        springs, untied = tendon_springs(model, frames)
        actuators, not_driven = actuators_of(model)
        fluid, not_dragged = fluid_of(model)
        name = model.names.split(b"\0")[0].decode()
        mechanism = Mechanism(
            path.stem if name == UNNAMED else name,
            bodies,
            joints,
            frames,
            loops,
            model.gravity,
            springs=springs,
            fluid=fluid,
            actuators=actuators,
        )
    return mechanism, [
        *unsupported_parts(model, files.parts),
        *not_driven,
        *not_dragged,
        *spring_remarks(model, untied),
        Unsupported("equalities other than connect, weld and joint", unclosed),
        Remark("meshes and textures not found, so these are not drawn", files.missing),
        Remark("MuJoCo warns", compiled.warnings),
    ]


def _compiled(path: Path, files: ModelFiles) -> Compiled:
    try:
        return compile_mjcf(path, files.missing)
    except ReadError as error:
        if any(next(part.iter("body"), None) is not None for part in files.parts):
            raise
        hint = "It has no bodies: it may be a part that another model includes; load that one."
        raise ReadError(f"{error} {hint}") from error


def _coupled(model: Any, equality: Equality, joints: Mapping[str, Joint]) -> Loop:
    """A joint equality as a closure between joints."""
    leader = equality.leader
    return Loop.coupled(
        equality.name,
        joints[name_of(model, JOINT, equality.follower)],
        None if leader is None else joints[name_of(model, JOINT, leader)],
        equality.coefficients,
    )


def _body(model: Any, i: int, path: Path) -> Body:
    X = pose_of(model.body_ipos[i], model.body_iquat[i])
    I = X.rotation @ np.diag(model.body_inertia[i]) @ X.rotation.T
    visuals = visuals_of(model, i, path)
    return Body(name_of(model, BODY, i), float(model.body_mass[i]), X.translation, I, visuals)


def _joints_of(model: Any, i: int, mimics: dict[int, Mimic]) -> Iterator[Joint]:
    """The joints that carry body ``i``: MuJoCo moves it by each in turn, about its own anchor."""
    name = name_of(model, BODY, i)
    parent = name_of(model, BODY, model.body_parentid[i])
    here = pose_of(model.body_pos[i], model.body_quat[i])
    start, count = model.body_jntadr[i], model.body_jntnum[i]
    for j in range(start, start + count):
        anchor = model.jnt_pos[j]
        is_body = j == start + count - 1 and not anchor.any()
        child = name if is_body else f"{name}/{name_of(model, JOINT, j)}"
        yield _joint(model, j, parent, child, here @ Pose(translation=anchor), mimics.get(j))
        parent, here = child, Pose(translation=-anchor)
    if parent != name:
        yield Joint(f"{name}_fixed", parent, name, Fixed(), here)


def _joint(model: Any, j: int, parent: str, child: str, place: Pose, mimic: Mimic | None) -> Joint:
    kind = model.jnt_type[j]
    motion = _motion(kind, model.jnt_axis[j])
    dofs = slice(model.jnt_dofadr[j], model.jnt_dofadr[j] + motion.nv)
    if kind == FREE:
        place = Pose()
    elif kind in (HINGE, SLIDE):
        reference = model.qpos0[model.jnt_qposadr[j]]
        place = place @ joint_pose(motion, np.array([-reference]))
    ranged = bool(model.jnt_limited[j]) and motion.nv == 1
    pushed = bool(model.jnt_actfrclimited[j]) and motion.nv == 1
    return Joint(
        name_of(model, JOINT, j),
        parent,
        child,
        motion,
        place,
        lower=model.jnt_range[j, 0] if ranged else -np.inf,
        upper=model.jnt_range[j, 1] if ranged else np.inf,
        effort_limit=np.abs(model.jnt_actfrcrange[j]).max() if pushed else np.inf,
        damping=model.dof_damping[dofs],
        friction=model.dof_frictionloss[dofs],
        rotor_inertia=model.dof_armature[dofs],
        mimic=mimic,
        stiffness=model.jnt_stiffness[j],
        rest=rest_of(model, j, motion) if model.jnt_stiffness[j] else None,
    )


def _motion(kind: int, axis: Array) -> Motion:
    if kind == FREE:
        return Floating()
    if kind == BALL:
        return Spherical()
    return Prismatic(axis) if kind == SLIDE else Revolute(axis)

"""Machines as other readers have them: MuJoCo's of MJCF, Pinocchio's of URDF."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

import phalanx as px
from phalanx.mechanism import Floating, Joint, Mechanism, Pose, Spherical
from phalanx.mechanism.read.closures import closures_beside
from phalanx.mechanism.read.mjcf_compiler import compiled_model
from phalanx.mechanism.read.mjcf_files import check_files

Array = NDArray[np.float64]
RANK = 1e-6  # against the largest singular value


@dataclass(frozen=True)
class Peer:
    """A machine in another library.

    Attributes:
        name: Of the library.
        evaluate: Mass matrix and gravity along our velocities, at our positions.
    """

    name: str
    evaluate: Callable[[Array], tuple[Array, Array]]


def own_position(mechanism: Mechanism, joint: Joint, q: Array) -> tuple[Array, slice, float]:
    """A joint's position, where our velocities of it are, and by how much they count."""
    if joint.mimic is None:
        return q[mechanism.q_slices[joint.name]], mechanism.v_slices[joint.name], 1.0
    leader, ratio = joint.mimic.leader, joint.mimic.multiplier
    x = ratio * q[mechanism.q_slices[leader]] + joint.mimic.offset
    return x, mechanism.v_slices[leader], ratio


def in_mujoco(file: Path, mechanism: Mechanism) -> Peer:
    """The compiled model of an MJCF file; what is missing and only draws is left out."""
    import mujoco

    model = compiled_model(mujoco, str(file.resolve()), check_files(file, ()).missing)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SPRING)
    data = mujoco.MjData(model)
    by_name = {joint.name: joint for joint in mechanism.joints}

    def evaluate(q: Array) -> tuple[Array, Array]:
        E = np.zeros((model.nv, mechanism.nv))  # their velocities from ours
        for j in range(model.njnt):
            joint = by_name[model.joint(j).name or f"joint_{j}"]
            x, where, scale = own_position(mechanism, joint, q)
            start, rows = model.jnt_qposadr[j], slice(model.jnt_dofadr[j], None)
            block = scale * np.eye(joint.motion.nv)
            if isinstance(joint.motion, Floating):
                # their linear velocity is in world axes
                block[:3, :3] = Pose.from_quaternion(x[:3], x[3:]).rotation
            if isinstance(joint.motion, Spherical | Floating):
                x = np.concatenate([x[:-4], x[-1:], x[-4:-1]])
            data.qpos[start : start + len(x)] = x
            E[rows, where][: joint.motion.nv] = block
        data.qvel[:] = 0
        mujoco.mj_forward(model, data)
        ME = np.empty_like(E)
        for k in range(mechanism.nv):
            column = np.empty(model.nv)
            mujoco.mj_mulM(model, data, column, np.ascontiguousarray(E[:, k]))
            ME[:, k] = column
        return E.T @ ME, E.T @ data.qfrc_bias

    return Peer("MuJoCo", evaluate)


def in_pinocchio(file: Path, mechanism: Mechanism) -> Peer:
    """The model of a URDF file, with mimics as joints of their own."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()

    def evaluate(q: Array) -> tuple[Array, Array]:
        E, theirs = np.zeros((model.nv, mechanism.nv)), pin.neutral(model)
        for joint in mechanism.joints:
            if joint.motion.nv:
                x, where, scale = own_position(mechanism, joint, q)
                other = model.joints[model.getJointId(joint.name)]
                rows = slice(other.idx_v, other.idx_v + other.nv)
                E[rows, where] += scale * np.eye(other.nv)
                theirs[other.idx_q : other.idx_q + other.nq] = _coordinates(other, x)
        M = pin.crba(model, data, theirs)
        M = np.triu(M) + np.triu(M, 1).T
        return E.T @ M @ E, E.T @ pin.computeGeneralizedGravity(model, data, theirs)

    return Peer("Pinocchio", evaluate)


def closed_freedoms(file: Path, mechanism: Mechanism) -> tuple[int, int]:
    """Freedoms with loops closed, ours and by the rank of Pinocchio's constraint Jacobian.

    Theirs are counted in the posture that was found here; -1 where no posture closes.
    """
    import pinocchio as pin

    try:
        found = px.assemble(mechanism)
    except px.PhalanxError:
        return -1, -1
    path = closures_beside(file)
    content = yaml.safe_load(path.read_text()) if path else []
    if not isinstance(content, dict):
        return found.mobility, found.mobility
    model, frames = _with_joints(pin, file, content)
    q, E = pin.neutral(model), np.zeros((model.nv, mechanism.nv))
    for joint in mechanism.joints:
        if not joint.motion.nv:
            continue
        x, where, scale = own_position(mechanism, joint, found.q)
        names = [f"{joint.name}/first", joint.name] if joint.motion.kind == "universal" else []
        for k, name in enumerate(names or [joint.name]):
            other = model.joints[model.getJointId(name)]
            part = x[k : k + 1] if names else x
            rows = slice(other.idx_v, other.idx_v + other.nv)
            E[rows, where] += scale * np.eye(joint.motion.nv)[k : k + other.nv if names else None]
            q[other.idx_q : other.idx_q + other.nq] = _coordinates(other, part)
    held = []
    for pair, kind in zip(content["closed_loop"], content["type"], strict=True):
        contact = getattr(pin.ContactType, f"CONTACT_{kind.upper()}")
        sides = [y for name in pair for y in frames(name)]
        held.append(pin.RigidConstraintModel(contact, model, *sides, pin.ReferenceFrame.LOCAL))
    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    J = pin.getConstraintsJacobian(model, data, held, [x.createData() for x in held]) @ E
    values = np.linalg.svd(J, compute_uv=False)
    return found.mobility, mechanism.nv - int((values > RANK * values.max()).sum())


def _with_joints(pin: Any, file: Path, content: dict[str, Any]) -> tuple[Any, Any]:
    """The model of a URDF with hinges turned into what a mapping says, and where frames are."""
    base, model, placed = pin.buildModelFromUrdf(str(file)), pin.Model(), {0: 0}
    turned = dict(zip(content.get("joint_name", []), content.get("joint_type", []), strict=True))
    axes = {"X": pin.JointModelRX, "Y": pin.JointModelRY, "Z": pin.JointModelRZ}
    for k in range(1, base.njoints):
        name, place = base.names[k], base.jointPlacements[k]
        parent, kind = placed[base.parents[k]], turned.get(name, "")
        motion = pin.JointModelSpherical() if kind == "SPHERICAL" else base.joints[k]
        if kind.startswith("UJOINT"):
            parent = model.addJoint(parent, axes[kind[-2]](), place, f"{name}/first")
            motion, place = axes[kind[-1]](), pin.SE3.Identity()
        placed[k] = model.addJoint(parent, motion, place, name)

    def frames(name: str) -> tuple[int, Any]:
        frame = base.frames[base.getFrameId(name)]
        return placed[frame.parentJoint], frame.placement

    return model, frames


def _coordinates(joint: Any, x: Array) -> Array:
    """Pinocchio's coordinates of a joint: of one that turns without end, cosine and sine."""
    return np.array([np.cos(x[0]), np.sin(x[0])]) if (joint.nq, joint.nv) == (2, 1) else x

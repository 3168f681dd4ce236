"""MuJoCo adapter: the same machine, without contacts, limits and friction.

Loops become equality constraints, as stiff as MuJoCo makes them: their accelerations agree with
exact ones to about 1e-4, the regularisation that is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from phalanx.bench.peers.peer import Incomparable, Many, One, Peer
from phalanx.mechanism import (
    Body,
    Continuous,
    Fixed,
    JointCoupling,
    Loop,
    Mechanism,
    Planar,
    PlanarPin,
    Prismatic,
    Revolute,
    Spherical,
    merge_fixed,
)
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array

# solref and solimp of equalities that hold as well as MuJoCo can
STIFF = [2e-3, 1.0], [0.9999, 0.9999, 1e-3, 0.5, 2.0]
MOST_COEFFICIENTS = 5


def peer(mechanism: Mechanism, frame: str) -> Peer:
    """The mechanism as a MuJoCo model."""
    return Mujoco(mechanism)


class Mujoco:
    """A MuJoCo model with the coordinates of a mechanism, in their order.

    Its calls do more than one quantity: ``mj_inverse`` and ``mj_forward`` update the whole state.
    They stand for what a user of MuJoCo has to call, not for the cost of the algorithm.
    """

    name = "MuJoCo"

    def __init__(self, mechanism: Mechanism) -> None:
        """Build and compile the model."""
        import mujoco

        self.version = version("mujoco")
        self._mujoco = mujoco
        self._model = build_model(mechanism)
        self._data = mujoco.MjData(self._model)

    def one(self, quantity: str, frame: str | None) -> One | None:
        """A call for one sample through MuJoCo's Python bindings."""
        mujoco, model, data = self._mujoco, self._model, self._data

        def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
            data.qpos, data.qvel, data.qacc = q, v, a
            mujoco.mj_inverse(model, data)
            return data.qfrc_inverse

        def forward_dynamics(q: Array, v: Array, tau: Array) -> Array:
            data.qpos, data.qvel, data.qfrc_applied = q, v, tau
            mujoco.mj_forward(model, data)
            return data.qacc

        calls: dict[str, One] = {
            "inverse_dynamics": inverse_dynamics,
            "forward_dynamics": forward_dynamics,
        }
        return calls.get(quantity)

    def many(self, quantity: str, inputs: Sequence[Array]) -> tuple[str, Many] | None:
        """MuJoCo's Python package has no batched call for one quantity."""
        return None


def build_model(mechanism: Mechanism, *, same_velocities: bool = True) -> Any:
    """A compiled ``mujoco.MjModel`` of a machine whose joints turn or slide about one axis.

    Args:
        mechanism: The machine.
        same_velocities: Whether velocities must mean the same. MuJoCo has them along the plane of a
            planar joint, and we along the body.
    """
    import mujoco

    mechanism = merge_fixed(mechanism)  # it allows no moving body without inertia
    spec = mujoco.MjSpec()
    spec.compiler.boundmass = 0.0
    spec.compiler.balanceinertia = False
    spec.option.gravity = mechanism.gravity
    unused = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    if not mechanism.loops:
        unused |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    spec.option.disableflags = unused
    kinds: dict[type, Any] = {
        Revolute: mujoco.mjtJoint.mjJNT_HINGE,
        Continuous: mujoco.mjtJoint.mjJNT_HINGE,
        Prismatic: mujoco.mjtJoint.mjJNT_SLIDE,
    }
    made = {mechanism.bodies[0].name: spec.worldbody}
    moments: dict[str, Array] = {}
    for k, joint in enumerate(mechanism.joints):
        body = mechanism.bodies[k + 1]
        if joint.mimic is not None:
            raise Incomparable(f"joint '{joint.name}' mimics another.")
        planar = isinstance(joint.motion, Planar) and not same_velocities
        if joint.motion.nv and type(joint.motion) not in kinds and not planar:
            kind = joint.motion.kind
            raise Incomparable(f"joint '{joint.name}' is {kind}, with other coordinates.")
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(joint.pose.rotation).ravel())
        child = made[joint.parent].add_body(
            name=body.name, pos=joint.pose.translation, quat=quaternion
        )
        child.mass, child.ipos = 1.0, body.com
        moments[body.name], child.iquat = principal_moments(body)
        child.inertia = np.ones(3)  # like its mass: the compiler refuses published tables
        child.explicitinertial = True
        if isinstance(joint.motion, Planar):
            across = frame_on_axis(joint.motion.axis)
            for name, axis in (("x", across[:, 0]), ("y", across[:, 1])):
                child.add_joint(
                    name=f"{joint.name}.{name}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis
                )
            child.add_joint(
                name=joint.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=joint.motion.axis
            )
        elif joint.motion.nv:
            child.add_joint(
                name=joint.name,
                type=kinds[type(joint.motion)],
                axis=joint.motion.axis,  # type: ignore[attr-defined]
                armature=float(joint.reflected_inertia[0]),
            )
        made[body.name] = child
    for loop in mechanism.loops:
        _add_loop(spec, made, mechanism, loop)
    try:
        model = spec.compile()
    except ValueError as error:
        raise Incomparable(str(error).splitlines()[0].removeprefix("Error: ")) from error
    for name, values in moments.items():
        model.body(name).mass[:] = mechanism.body(name).mass
        model.body(name).inertia[:] = values
    mujoco.mj_setConst(model, mujoco.MjData(model))
    names = [model.joint(i).name for i in range(model.njnt)]
    names = [name for name in names if "." not in name]
    if names != [joint.name for joint in mechanism.moving_joints]:
        raise Incomparable("it orders the joints of this tree differently.")
    return model


def principal_moments(body: Body) -> tuple[Array, Array]:
    """Return principal moments of inertia [kg m²], and the quaternion (w, x, y, z) of their axes.

    Tables that state only what a motion can show have moments of zero, and others that do not
    fulfil the triangle inequality. The equations of motion are the same.
    """
    import mujoco

    values, axes = np.linalg.eigh(body.inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(axes).ravel())
    return values, quaternion


def _add_loop(spec: Any, made: dict[str, Any], mechanism: Mechanism, loop: Loop) -> None:
    """A loop as an equality between two sites, or between two joints."""
    import mujoco

    if isinstance(loop.motion, JointCoupling):
        _add_coupling(spec, loop.name, loop.motion)
        return
    if isinstance(loop.motion, Spherical | Revolute | Continuous | PlanarPin):
        kind = mujoco.mjtEq.mjEQ_CONNECT  # what more a hinge holds, planar machines hold anyway
    elif isinstance(loop.motion, Fixed):
        kind = mujoco.mjtEq.mjEQ_WELD
    else:
        raise Incomparable(f"loop '{loop.name}' is {loop.motion.kind}.")
    sites = []
    for side, name in (("a", loop.frame_a), ("b", loop.frame_b)):
        frame = mechanism.frame(name)
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(frame.pose.rotation).ravel())
        site = f"{loop.name}.{side}"
        made[frame.body].add_site(name=site, pos=frame.pose.translation, quat=quaternion)
        sites.append(site)
    equality = spec.add_equality(
        name=loop.name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, name1=sites[0], name2=sites[1]
    )
    equality.solref, equality.solimp = STIFF


def _add_coupling(spec: Any, name: str, coupling: JointCoupling) -> None:
    """A coupling as an equality between joints, whose polynomial has at most five coefficients."""
    import mujoco

    if len(coupling.coefficients) > MOST_COEFFICIENTS:
        raise Incomparable(f"loop '{name}' is a polynomial of a higher degree than it has.")
    equality = spec.add_equality(
        name=name,
        type=mujoco.mjtEq.mjEQ_JOINT,
        name1=coupling.follower,
        name2=coupling.leader or "",
    )
    equality.data[: len(coupling.coefficients)] = coupling.coefficients
    equality.data[len(coupling.coefficients) : MOST_COEFFICIENTS] = 0.0
    equality.solref, equality.solimp = STIFF

"""Pinocchio adapter: the same machine."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from phalanx.bench.peers.peer import Incomparable, Many, One, Peer
from phalanx.mechanism import (
    Body,
    Continuous,
    Cylindrical,
    Floating,
    Joint,
    Mechanism,
    Pose,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.mechanism.pose import Array


def peer(mechanism: Mechanism, frame: str) -> Peer:
    """The mechanism as a Pinocchio model with one named frame."""
    return Pinocchio(mechanism, frame)


class Pinocchio:
    """A Pinocchio model with the coordinates of a mechanism, in their order."""

    name = "Pinocchio"

    def __init__(self, mechanism: Mechanism, frame: str) -> None:
        """Build the model from the mechanism's data, joint by joint."""
        import pinocchio as pin

        self.version = version("pin")
        self._pin = pin
        self._model = build_model(mechanism)
        self._frame = _add_frame(self._model, mechanism, frame)
        self._data = self._model.createData()
        self._bodies = len(mechanism.bodies) - 1

    def one(self, quantity: str, frame: str | None) -> One | None:
        """A call for one sample through Pinocchio's Python bindings."""
        pin, model, data, place = self._pin, self._model, self._data, self._frame
        world = pin.LOCAL_WORLD_ALIGNED

        def forward_kinematics(q: Array) -> Array:
            pin.forwardKinematics(model, data, q)
            return pin.updateFramePlacement(model, data, place).homogeneous

        calls: dict[str, One] = {
            "inverse_dynamics": lambda q, v, a: pin.rnea(model, data, q, v, a),
            "forward_dynamics": lambda q, v, tau: pin.aba(model, data, q, v, tau),
            "mass_matrix": lambda q: pin.crba(model, data, q),
            "bias": lambda q, v: pin.nonLinearEffects(model, data, q, v),
            "gravity": lambda q: pin.computeGeneralizedGravity(model, data, q),
            "inverse_dynamics_derivatives": lambda q, v, a: pin.computeRNEADerivatives(
                model, data, q, v, a
            ),
            "forward_dynamics_derivatives": lambda q, v, tau: pin.computeABADerivatives(
                model, data, q, v, tau
            ),
            "potential_energy": lambda q: pin.computePotentialEnergy(model, data, q),
            "momentum": lambda q, v: pin.computeCentroidalMomentum(model, data, q, v).vector,
            "center_of_mass": lambda q: pin.centerOfMass(model, data, q),
            "forward_kinematics": forward_kinematics,
            "jacobian": lambda q: pin.computeFrameJacobian(model, data, q, place, world),
        }
        if not model.armature.any():
            # it leaves out the rotors of joints about a slanted axis
            calls["kinetic_energy"] = lambda q, v: pin.computeKineticEnergy(model, data, q, v)
        if model.nq == model.nv:
            # a quaternion may come with the other sign
            calls["integrate"] = lambda q, v: pin.integrate(model, q, v)
        if self._bodies == model.njoints - 1:
            # it lumps fixed bodies, and so has other columns where there are some
            calls["regressor"] = lambda q, v, a: pin.computeJointTorqueRegressor(
                model, data, q, v, a
            )
        return calls.get(quantity)

    def many(self, quantity: str, inputs: Sequence[Array]) -> tuple[str, Many] | None:
        """Pinocchio's batched calls, on one thread, with arrays in its own order."""
        pin = self._pin
        batched = {"inverse_dynamics": "rneaInParallel", "forward_dynamics": "abaInParallel"}
        if quantity not in batched:
            return None
        call = getattr(pin, batched[quantity])
        pool = pin.ModelPool(self._model, 1)
        columns = [np.asfortranarray(x.T) for x in inputs]
        result = np.empty((self._model.nv, len(inputs[0])), order="F")

        def run() -> Array:
            call(1, pool, *columns, result)
            return result.T

        return batched[quantity], run


def build_model(mechanism: Mechanism) -> Any:
    """A ``pinocchio.Model`` with the joints of a mechanism; mimic joints must be free."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity = pin.Motion(mechanism.gravity, np.zeros(3))
    # where each body sits: its Pinocchio joint, and its pose there
    placements: dict[str, tuple[int, Any]] = {mechanism.bodies[0].name: (0, pin.SE3.Identity())}
    for k, joint in enumerate(mechanism.joints):
        if joint.mimic is not None:
            raise Incomparable(f"joint '{joint.name}' mimics another.")
        parent, pose = placements[joint.parent]
        pose = pose * _se3(joint.pose)
        body = mechanism.bodies[k + 1]
        if joint.motion.nv:
            parent = model.addJoint(parent, _joint_model(joint), pose, joint.name)
            part = mechanism.v_slices[joint.name]
            model.armature[part] = joint.reflected_inertia
            pose = pin.SE3.Identity()
        model.appendBodyToJoint(parent, _inertia(body), pose)
        placements[body.name] = parent, pose
    return model


def _joint_model(joint: Joint) -> Any:
    import pinocchio as pin

    along = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}
    match joint.motion:
        case Revolute(axis=axis) | Continuous(axis=axis):
            letter = along.get(tuple(axis.tolist()))
            if letter:
                return getattr(pin, f"JointModelR{letter}")()
            return pin.JointModelRevoluteUnaligned(axis)
        case Prismatic(axis=axis):
            letter = along.get(tuple(axis.tolist()))
            if letter:
                return getattr(pin, f"JointModelP{letter}")()
            return pin.JointModelPrismaticUnaligned(axis)
        case Screw(axis=axis, pitch=pitch):
            return pin.JointModelHelicalUnaligned(axis, pitch)
        case Universal(first=first, second=second) if abs(first @ second) < 1e-12:
            return pin.JointModelUniversal(first, second)
        case Cylindrical(axis=axis):
            composite = pin.JointModelComposite(pin.JointModelRevoluteUnaligned(axis))
            return composite.addJoint(pin.JointModelPrismaticUnaligned(axis))
        case Spherical():
            return pin.JointModelSpherical()
        case Floating():
            return pin.JointModelFreeFlyer()
        case other:
            raise Incomparable(f"joint '{joint.name}' is {other.kind}, with other coordinates.")


def _add_frame(model: Any, mechanism: Mechanism, name: str) -> int:
    import pinocchio as pin

    frame = mechanism.frame(name)
    pose, body = _se3(frame.pose), frame.body
    joints = {joint.child: joint for joint in mechanism.joints}
    while body in joints and not joints[body].motion.nv:
        pose, body = _se3(joints[body].pose) * pose, joints[body].parent
    parent = model.getJointId(joints[body].name) if body in joints else 0
    return model.addFrame(pin.Frame(f"bench_{name}", parent, 0, pose, pin.FrameType.OP_FRAME))


def _se3(pose: Pose) -> Any:
    import pinocchio as pin

    return pin.SE3(pose.rotation, pose.translation)


def _inertia(body: Body) -> Any:
    import pinocchio as pin

    try:
        return pin.Inertia(body.mass, body.com, (body.inertia + body.inertia.T) / 2)
    except RuntimeError as error:
        raise Incomparable(f"body '{body.name}': {error}") from error

"""Exudyn adapter: runs of the same machine (it has no call for one quantity).

It has two ways to a chain. `tree`: joint coordinates and a dense mass matrix, whose cost grows with
the cube of the number of bodies; steps are Runge-Kutta's, the same as ours. `bodies`: all bodies
free, joints as constraints, sparse matrices; cost grows with the number of bodies, and steps are
implicit, of second order. The second is the faster one from some 50 bodies on.
"""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal, final

import numpy as np

from phalanx.bench.peers.peer import Incomparable
from phalanx.mechanism import Continuous, Mechanism, Revolute
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array

Way = Literal["tree", "bodies"]

AXES = {(1.0, 0.0, 0.0): "RevoluteX", (0.0, 1.0, 0.0): "RevoluteY", (0.0, 0.0, 1.0): "RevoluteZ"}


@final
@dataclass(frozen=True, eq=False)
class ExudynRun:
    """A machine at rest in a posture, ready to be let go; each call begins there again.

    Attributes:
        mechanism: The machine.
        q: Where it begins, shape (nq,).
        way: ``tree`` or ``bodies``.
        system: Exudyn's.
        last: Exudyn's number of the last body, where bodies are free.
    """

    mechanism: Mechanism
    q: Array
    way: Way
    system: Any
    last: int | None

    @property
    def version(self) -> str:
        """Exudyn's."""
        return version("exudyn")

    def __call__(self, steps: int, step: float) -> Array:
        """Take steps [s]; where the last body's centre of mass ends, shape (3,) [m]."""
        exudyn = _exudyn()
        settings = exudyn.SimulationSettings()
        time = settings.timeIntegration
        time.numberOfSteps, time.endTime, time.verboseMode = steps, steps * step, 0
        settings.solutionSettings.writeSolutionToFile = False
        if self.way == "bodies":
            # constraints of velocities with the trapezoidal rule: the fastest setting found, and
            # of those with constraints of positions some give up at 1000 bodies
            settings.linearSolverType = exudyn.LinearSolverType.EigenSparse
            time.newton.useModifiedNewton = True
            time.generalizedAlpha.useIndex2Constraints = True
            time.generalizedAlpha.useNewmark = True
        kind = exudyn.DynamicSolverType
        solver = kind.RK44 if self.way == "tree" else kind.GeneralizedAlpha
        self.system.SolveDynamic(settings, solverType=solver)
        if self.last is None:
            q = np.array(self.system.systemData.GetODE2Coordinates())
            R, p = _poses(self.mechanism, q)[-1]
            return p + R @ self.mechanism.bodies[-1].com
        where = exudyn.OutputVariableType.Position
        found = self.system.GetObjectOutputBody(self.last, where, localPosition=[0.0, 0.0, 0.0])
        return np.array(found)


def build_run(mechanism: Mechanism, q: Array, way: Way) -> ExudynRun:
    """A machine of hinges without motors or friction, at rest at ``q``.

    Raises:
        Incomparable: A joint is no hinge, or a rotor turns with one; or it turns about a slanted
            axis where Exudyn has but three.
    """
    for joint in mechanism.joints:
        if joint.mimic is not None or not isinstance(joint.motion, Revolute | Continuous):
            raise Incomparable(f"joint '{joint.name}' is no hinge that moves by itself.")
        if np.any(joint.reflected_inertia):
            raise Incomparable(f"joint '{joint.name}' has a rotor.")
        if way == "tree" and tuple(joint.motion.axis.tolist()) not in AXES:
            raise Incomparable(f"joint '{joint.name}' turns about none of the axes x, y, z.")
    system = _exudyn().SystemContainer().AddSystem()
    build = _build_tree if way == "tree" else _build_bodies
    last = build(system, mechanism, q)
    system.Assemble()
    return ExudynRun(mechanism, q, way, system, last)


def tip(mechanism: Mechanism, q: Array) -> Array:
    """Position of the last body's centre of mass at ``q``, shape (3,) [m]; hinges only."""
    R, p = _poses(mechanism, q)[-1]
    return p + R @ mechanism.bodies[-1].com


def _exudyn() -> Any:
    """Exudyn without its checks of ranges, which is up to a third faster."""
    if "exudyn" not in sys.modules:
        sys.exudynFast = True  # type: ignore[attr-defined]
    with contextlib.redirect_stdout(io.StringIO()):  # it says so
        import exudyn
        import exudyn.itemInterface
        import exudyn.rigidBodyUtilities
    return exudyn


def _build_tree(system: Any, mechanism: Mechanism, q: Array) -> None:
    exudyn = _exudyn()
    items = exudyn.itemInterface
    count = mechanism.nv
    node = system.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * count,
            initialCoordinates=q.tolist(),
            initialCoordinates_t=[0.0] * count,
            numberOfODE2Coordinates=count,
        )
    )
    turns, shifts = exudyn.Matrix3DList(), exudyn.Vector3DList()
    inertias, centres = exudyn.Matrix3DList(), exudyn.Vector3DList()
    for joint, body in zip(mechanism.joints, mechanism.bodies[1:], strict=True):
        turns.Append(joint.pose.rotation)
        shifts.Append(joint.pose.translation)
        inertias.Append(body.inertia)
        centres.Append(body.com)
    axes = (tuple(joint.motion.axis.tolist()) for joint in mechanism.joints)  # type: ignore[attr-defined]
    system.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[getattr(exudyn.JointType, AXES[axis]) for axis in axes],
            linkParents=[parent - 1 for parent in mechanism.parents[1:]],
            jointTransformations=turns,
            jointOffsets=shifts,
            linkInertiasCOM=inertias,
            linkCOMs=centres,
            linkMasses=[body.mass for body in mechanism.bodies[1:]],
            gravity=list(mechanism.gravity),
            visualization=items.VObjectKinematicTree(show=False),
        )
    )


def _build_bodies(system: Any, mechanism: Mechanism, q: Array) -> int:
    exudyn = _exudyn()
    items, rigid = exudyn.itemInterface, exudyn.rigidBodyUtilities
    made = [system.AddObject(items.ObjectGround())]
    for body, (R, p) in zip(mechanism.bodies[1:], _poses(mechanism, q), strict=True):
        inertia = rigid.RigidBodyInertia(
            mass=body.mass, com=np.zeros(3), inertiaTensor=body.inertia
        )
        _, number = rigid.AddRigidBody(
            system,
            inertia,
            nodeType=exudyn.NodeType.RotationEulerParameters,
            position=p + R @ body.com,
            rotationMatrix=R,
            gravity=mechanism.gravity,
        )
        made.append(number)
    for k, joint in enumerate(mechanism.joints):
        parent = mechanism.parents[k + 1]
        centre = mechanism.bodies[parent].com if parent else np.zeros(3)
        axis = frame_on_axis(joint.motion.axis)  # type: ignore[attr-defined]
        markers = [
            system.AddMarker(items.MarkerBodyRigid(bodyNumber=number, localPosition=place))
            for number, place in (
                (made[parent], joint.pose.translation - centre),
                (made[k + 1], -mechanism.bodies[k + 1].com),
            )
        ]
        system.AddObject(
            items.ObjectJointRevoluteZ(
                markerNumbers=markers,
                rotationMarker0=joint.pose.rotation @ axis,
                rotationMarker1=axis,
            )
        )
    return int(made[-1])


def _poses(mechanism: Mechanism, q: Array) -> list[tuple[Array, Array]]:
    """Rotation and place of every body but the root, in the root."""
    found = [(np.eye(3), np.zeros(3))]
    for k, joint in enumerate(mechanism.joints):
        R, p = found[mechanism.parents[k + 1]]
        axis = frame_on_axis(joint.motion.axis)  # type: ignore[attr-defined]
        c, s = np.cos(q[k]), np.sin(q[k])
        turned = axis @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ axis.T
        found.append((R @ joint.pose.rotation @ turned, p + R @ joint.pose.translation))
    return found[1:]

"""Joint loads: bearing forces and drive forces, from constraint forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked_but, unfit
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations, Posed
from phalanx.dynamics.evaluators.constraint_forces.joint_steps import load_step
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.solution import LinearSolver
from phalanx.dynamics.evaluators.method import still_root
from phalanx.kernel import compile
from phalanx.kernel.call.threads import processors
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@short_repr
@final
@dataclass(frozen=True, eq=False)
class JointLoads:
    """The wrench that every joint passes to the body it carries, in two parts.

    Six numbers each: force [N], then moment [N·m] about the joint's origin, in the axes of the body
    that the joint carries. The opposite acts on the body that it stands on.

    Attributes:
        joints: Names, those that are not fixed.
        constraint: What the joint's bearings hold, square to its freedoms,
            shape (samples, joints, 6).
        drive: What acts along its freedoms: the joint force less what the drive's rotor takes; same
            shape.
    """

    joints: tuple[str, ...]
    constraint: Array
    drive: Array

    @property
    def force(self) -> Array:
        """Force in every joint [N], shape (samples, joints, 3)."""
        return np.asarray((self.constraint + self.drive)[..., :3])

    @property
    def moment(self) -> Array:
        """Moment in every joint [N·m], shape (samples, joints, 3)."""
        return np.asarray((self.constraint + self.drive)[..., 3:])

    def of(self, joint: str) -> tuple[Array, Array]:
        """Force and moment in one joint, shape (samples, 3) each.

        Raises:
            UnknownName: There is no such joint.
        """
        if joint not in self.joints:
            raise UnknownName("the machine", "moving joint", joint, self.joints)
        k = self.joints.index(joint)
        return self.force[:, k], self.moment[:, k]


@checked_but("q", "v", "tau")
def joint_loads(
    mechanism: Mechanism,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    locked: Sequence[str] = (),
    solver: LinearSolver | None = None,
) -> JointLoads:
    """Forces and moments in the joints of a machine that moves under joint forces.

    Args:
        mechanism: The machine, a chain or a tree, whose bodies all have mass. Its root rests.
        q: Positions, shape (nq,) or (samples, nq).
        v: Velocities, shape (nv,) or (samples, nv).
        tau: Joint forces [N or N·m], shape (nv,) or (samples, nv).
        locked: Names of joints that a brake holds; their velocities are zero.
        solver: What solves for the constraint forces; `BlockElimination()` if not given.

    Raises:
        InvalidModel: The machine closes on itself, or a body has no mass.
        InvalidInput: An array has another shape or numbers that are not finite, or a locked joint
            moves.
        UnknownName: There is no such joint to lock.
    """
    equations = _equations(mechanism, tuple(locked))
    states = [
        _states(mechanism, name, given, size)
        for name, given, size in (
            ("q", q, mechanism.nq),
            ("v", v, mechanism.nv),
            ("tau", tau, mechanism.nv),
        )
    ]
    samples = max(len(x) for x in states)
    if any(len(x) not in (1, samples) for x in states):
        counts = ", ".join(str(len(x)) for x in states)
        raise InvalidInput(f"q, v and tau have {counts} samples; expected equally many, or one.")
    at, moving, acting = [
        np.ascontiguousarray(np.broadcast_to(x, (samples, x.shape[1]))) for x in states
    ]
    posed = equations.pose(at, moving, acting, still_root(mechanism, samples))
    return loads_of(equations, posed, (solver or BlockElimination()).solve(posed.system).f)


@lru_cache(maxsize=4)
def _equations(mechanism: Mechanism, locked: tuple[str, ...]) -> ConstraintEquations:
    return ConstraintEquations(jointed_bodies(bodies_of(mechanism), locked), processors())


def _states(mechanism: Mechanism, name: str, given: ArrayLike, size: int) -> Array:
    try:
        numbers = np.atleast_2d(np.asarray(given, float))
    except (TypeError, ValueError):
        raise unfit(name, given, "an array of numbers") from None
    if numbers.ndim != 2 or numbers.shape[1] != size:
        raise InvalidInput(
            f"'{name}' of mechanism '{mechanism.name}' has shape {np.shape(given)}; expected "
            f"({size},) or (samples, {size})."
        )
    return numbers


def loads_of(equations: ConstraintEquations, posed: Posed, f: Array) -> JointLoads:
    """Loads under constraint forces ``f``, which solve ``posed.system``."""
    jointed = equations.jointed
    nodes = jointed.link_nodes
    constraint, drive = np.empty((2, len(posed.q), len(nodes), 6))
    for kind in jointed.kinds:
        own, (q, v) = kind.members, jointed.columns(kind)
        parts = {port: (6, len(kind.carriers)) for port in ("held", "drive")}
        step = load_step(kind, jointed.structure.width)
        kernel = compile(step, shapes=parts, threads=equations.threads)
        given = [posed.q[:, q], posed.tau[:, v], f[:, own], np.concatenate(kind.numbers, axis=1)]
        if kind.within:
            given.append(posed.on_links[kind])
        last = np.array([stop - 1 for _, stop in kind.carriers])
        at = np.searchsorted(nodes, jointed.first_node[own][:, None] + last)
        constraint[:, at], drive[:, at] = (x.swapaxes(-1, -2) for x in kernel(*given))
    R, p = _bodies(equations)
    return JointLoads(jointed.names, _turned(R, p, constraint), _turned(R, p, drive))


def _bodies(equations: ConstraintEquations) -> tuple[Array, Array]:
    """Pose of each joint's body in its node: rotations (n, 3, 3) and translations (n, 3)."""
    bodies = equations.jointed.bodies
    m = bodies.mechanism
    at = [m.body_index(m.joints[k].child) for k in bodies.joint[equations.jointed.link_nodes]]
    return bodies.body_rotation[at], bodies.body_translation[at]


def _turned(R: Array, p: Array, wrench: Array) -> Array:
    """Wrenches on nodes, in the axes of their bodies and about their origins."""
    force, moment = wrench[..., :3], wrench[..., 3:]
    moment = moment - np.cross(p, force)
    parts = [np.einsum("nji,snj->sni", R, part) for part in (force, moment)]
    return np.concatenate(parts, axis=-1)

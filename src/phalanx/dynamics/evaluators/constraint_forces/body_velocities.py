"""Body velocities as coordinates (maximal coordinates): joint velocities by least squares, drift.

When velocities of bodies are integrated, those of joints follow: v = P⁺(V - T V_parent). What is
left, the slack, is a velocity that no joint allows. It is zero in truth and grows by the errors of
an integrator. A decay makes it fade: b gets -decay Qᵀ slack.

Reference:
    Sharf and D'Eleuterio (1993), sec. 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.constraint_forces.equations import (
    ConstraintEquations,
    Posed,
    root_velocity,
)
from phalanx.dynamics.evaluators.constraint_forces.joint_steps import fit_step
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies, JointKind
from phalanx.dynamics.evaluators.traversed.positions import Positions
from phalanx.kernel import compile
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False)
class VelocityFit:
    """Joints between bodies that move each by itself.

    Attributes:
        v: Velocities of the joints, shape (samples, nv).
        slack: Velocities that they do not allow, in body axes, shape (samples, n, 6).
        fall: Acceleration of free fall in the axes of each body, shape (samples, n, 6).
    """

    v: Array
    slack: Array
    fall: Array

    @property
    def drift(self) -> Array:
        """Length of the slack of all bodies together [m/s and rad/s], shape (samples,)."""
        return np.asarray(np.sqrt(np.square(self.slack).sum(axis=(1, 2))))


@final
class BodyVelocities:
    """Machine code for the bodies of one machine that are followed each by itself."""

    def __init__(self, equations: ConstraintEquations) -> None:
        """Compile the steps of every kind of joint."""
        self.equations = equations
        jointed, threads = equations.jointed, equations.threads
        self._kinds = [_Fitted(jointed, kind, threads) for kind in jointed.kinds]
        self._positions = Positions(jointed.bodies)

    def fit(self, q: Array, V: Array, root: Array) -> VelocityFit:
        """Joints at positions ``q`` between bodies that move by ``V``, shape (samples, n, 6)."""
        jointed, count = self.equations.jointed, len(q)
        n, at = len(jointed), jointed.structure
        V_parent = at.of_parent(V, root_velocity(root)[:, None])
        v, slack = np.zeros((count, jointed.bodies.mechanism.nv)), np.empty((count, n, 6))
        R = np.empty((count, n, 3, 3))
        for kind in self._kinds:
            own = kind.members
            v[:, kind.v], slack[:, own], R[:, own] = kind.fit(
                q[:, kind.q], V[:, own], V_parent[:, own], kind.numbers
            )
        fall = np.zeros((count, n, 6))
        begin = -root[:, None, 6:]
        if begin.any():  # into the axes of each body, from the root outward
            for turn in at.turns:
                before = begin if turn.parent is None else fall[:, turn.parent, :3]
                fall[:, turn.joints, :3] = (R[:, turn.joints] @ before[..., None])[..., 0]
        return VelocityFit(v, slack, fall)

    def pose(
        self,
        q: Array,
        V: Array,
        tau: Array,
        root: Array,
        fit: VelocityFit,
        external: Array | None = None,
        *,
        decay: float = 0.0,
    ) -> Posed:
        """A f = b for bodies that move by ``V``.

        Args:
            q: Positions, shape (samples, nq).
            V: Velocities of bodies, shape (samples, n, 6).
            tau: Joint forces, shape (samples, nv).
            root: As for ``Solver.accelerations``, and external.
            fit: The joints between them.
            external: Wrenches on nodes.
            decay: Rate at which velocities that joints do not allow fade [1/s].
        """
        posed = self.equations.pose_bodies(q, fit.v, V, tau, root, external)
        if not decay:
            return posed
        fading = decay * np.einsum("snkw,snk->snw", posed.Q, fit.slack)
        system = replace(posed.system, b=posed.system.b - fading)
        return replace(posed, system=system)

    def rates(self, posed: Posed, f: Array, fit: VelocityFit) -> Array:
        """Rates of the velocities of bodies under constraint forces, shape (samples, n, 6)."""
        return np.asarray(self.equations.body_accelerations(posed, f) + fit.fall)

    def position_rates(self, q: Array, v: Array) -> Array:
        """Rates of the positions, shape (samples, nq)."""
        return self._positions.rate(q, v)


class _Fitted:
    """Steps of a kind of joint, and where its numbers are."""

    members: slice | NDArray[np.intp]

    def __init__(self, jointed: JointedBodies, kind: JointKind, threads: int) -> None:
        self.members = slice(None) if len(kind.members) == len(jointed) else kind.members
        self.q, self.v = jointed.columns(kind)
        self.numbers = np.concatenate(kind.numbers, axis=1)[None]
        self.fit = compile(fit_step(kind), shapes={"R": (3, 3)}, threads=threads)

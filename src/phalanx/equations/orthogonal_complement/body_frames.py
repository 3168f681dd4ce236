"""Newton-Euler state space in body axes, from which the recursion follows.

(U⁻¹Q) in body axes has the block [k]x at (i, i) and A_ij [d_tj]x at (i, j), with t the child of j
on the path to i. Its product with C has the columns rho_ij × c_ij, so that

    H = [C; rho × C],    M = Hᵀ diag(J, m) H,
    M v' = tau + Hᵀ ([f; g] - [0; m (U⁻¹q)] - [J; m (U⁻¹Q)] C' v).
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.orthogonal_complement.loads import centre_accelerations
from phalanx.equations.orthogonal_complement.mixed_frames import (
    axis_matrix,
    block,
    hinged_bodies,
    scattered,
)
from phalanx.equations.orthogonal_complement.recursion import path
from phalanx.equations.spatial import cross, skew
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.passes import outward


@dataclass(frozen=True)
class BodyFrames:
    """The matrices of a tree of n hinges at a state, all in body axes.

    Attributes:
        C: Axes, shape (3n, n).
        arms: rho × C, shape (3n, n).
        levers: U⁻¹Q, shape (3n, 3n).
        J: Inertias, block diagonal, and masses m likewise, shape (3n, 3n).
        f: -w × J w, shape (3n,), and weights g, shape (3n,).
        rates: U⁻¹q, the centripetal accelerations of the centres, shape (3n,).
        C_rate: C' v, shape (3n,).
        armature: Reflected inertias of the rotors, shape (n,).
    """

    C: SX
    arms: SX
    levers: SX
    J: SX
    m: SX
    f: SX
    g: SX
    rates: SX
    C_rate: SX
    armature: SX

    @property
    def motions(self) -> SX:
        """H = [C; rho × C], shape (6n, n)."""
        return ca.vertcat(self.C, self.arms)

    @property
    def mass_matrix(self) -> SX:
        """M, shape (n, n), with rotors."""
        H = self.motions
        return H.T @ ca.diagcat(self.J, self.m) @ H + ca.diag(self.armature)

    def free_forces(self, tau: SX) -> SX:
        """What is left of joint torques for M v', shape (n,)."""
        spins = self.f - self.J @ self.C_rate
        centres = self.g - self.m @ (self.rates + self.levers @ self.C_rate)
        return tau + self.motions.T @ ca.vertcat(spins, centres)


def body_frames(model: Model, q: SX, v: SX) -> BodyFrames:
    """The matrices of a tree of hinges at a state, in body axes.

    The source's eqs. 3.11 and 3.35 add the centripetal accelerations, which have to be taken away,
    and multiply C' v with rho × C, which has other dimensions.

    Args:
        model: A tree of hinges, with the masses of its bodies (not regrouped).
        q: Angles [rad], shape (n,).
        v: Rates [rad/s], shape (n,).

    Raises:
        InvalidModel: A joint is no hinge.

    Reference:
        Wong (1991), §3.1.1, §3.1.2.
    """
    bodies = hinged_bodies(model, q)
    n = len(bodies)
    motion = centre_accelerations(model, bodies, v, SX(n, 1), BaseMotion.still())
    w = [A.w for A in motion]

    def centripetal(i: int, parent: SX) -> SX:
        body, p = bodies[i], bodies[i].parent
        if p >= 0:
            parent = parent + cross(w[p], cross(w[p], body.l_parent))
        return body.rotation.into_child(parent) - cross(w[i], cross(w[i], body.k))

    levers = SX(3 * n, 3 * n)
    for i, body in enumerate(bodies):
        p = body.parent
        for j in path(bodies, p):
            # a step across the parent to this hinge; farther down, what the parent has
            seen = skew(bodies[p].d(i)) if j == p else levers[block(p), block(j)]
            levers[block(i), block(j)] = body.rotation.into_child(seen)
        levers[block(i), block(i)] = skew(body.k)
    down = outward(model.parents, model.gravity, lambda i, g: bodies[i].rotation.into_child(g))
    return BodyFrames(
        C=axis_matrix(bodies),
        arms=scattered(bodies, lambda axis, rho: cross(rho, axis)),
        levers=levers,
        J=ca.diagcat(*(body.J for body in bodies)),
        m=ca.diagcat(*(body.m * SX.eye(3) for body in bodies)),
        f=ca.vertcat(*(-cross(x, body.J @ x) for x, body in zip(w, bodies, strict=True))),
        g=ca.vertcat(*(body.m * g for body, g in zip(bodies, down, strict=True))),
        rates=ca.vertcat(*outward(model.parents, SX.zeros(3, 1), centripetal)),
        C_rate=ca.vertcat(*(A.dw for A in motion)),
        armature=ca.vertcat(*(body.node.armature for body in bodies)),
    )

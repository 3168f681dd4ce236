"""Newton-Euler state space in mixed frames: the matrices that the complement is orthogonal to.

Angular velocities w are in body axes, positions x of the centres of mass in the root's. With the
forces gamma and the moments lambda that hinges transmit across their axes,

    [J 0; 0 m] [w'; x''] = [f; g] + [H1; H2] gamma + [N1; 0] lambda + [E; 0] tau,
    U x'' = Q w' + rates,    w = C v,

U is the incidence matrix of the tree. U⁻¹, its path matrix, gives x'' = U⁻¹ (Q w' + rates), and
[1 (U⁻¹Q)ᵀ] is orthogonal to [H1; H2] and Cᵀ to N1: what hinges transmit vanishes, and what is left
is M v' = tau + …. For trees of hinges; the recursions take other joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.equations.orthogonal_complement.bodies import CentredBody, centred_bodies
from phalanx.equations.orthogonal_complement.loads import centre_accelerations
from phalanx.equations.orthogonal_complement.recursion import reaches
from phalanx.equations.spatial import constant, cross, skew
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.node import Freedom
from phalanx.equations.tree.passes import outward
from phalanx.mechanism.topology import incidence_matrix, path_matrix

ACROSS = constant([[1, 0], [0, 1], [0, 0]])  # R: the directions across a hinge, x and y


@dataclass(frozen=True)
class MixedFrames:
    """The matrices of a tree of n hinges at a state, in blocks of three rows a body.

    Attributes:
        U: Incidence matrix, shape (3n, 3n); its inverse has the paths.
        paths: U⁻¹, shape (3n, 3n).
        Q: Of the hinge vectors, shape (3n, 3n).
        rates: Centripetal part of U x'', shape (3n,).
        J: Inertias, block diagonal, and masses m likewise, shape (3n, 3n).
        f: -w × J w, shape (3n,), and weights g, shape (3n,).
        H1: What hinge forces do to the spins, and H2 to the centres, shape (3n, 3n).
        N1: What moments across the axes do to the spins, shape (3n, 2n).
        E: What joint torques do to them, for three components a joint, shape (3n, 3n).
        C: Angular velocities per joint velocity, shape (3n, n).
        C_rate: Angular accelerations while joint velocities stay, C' v, shape (3n,).
        armature: Reflected inertias of the rotors, shape (n,).
    """

    U: SX
    paths: SX
    Q: SX
    rates: SX
    J: SX
    m: SX
    f: SX
    g: SX
    H1: SX
    H2: SX
    N1: SX
    E: SX
    C: SX
    C_rate: SX
    armature: SX

    @cached_property
    def annihilator(self) -> SX:
        """[1 (U⁻¹Q)ᵀ], shape (3n, 6n): its product with [H1; H2] is zero."""
        return ca.horzcat(SX.eye(self.Q.shape[0]), (self.paths @ self.Q).T)

    @cached_property
    def motions(self) -> SX:
        """The whole complement [C; U⁻¹ Q C], shape (6n, n)."""
        return ca.vertcat(self.C, self.paths @ self.Q @ self.C)

    @property
    def mass_matrix(self) -> SX:
        """M, shape (n, n), with rotors."""
        H = self.motions
        return H.T @ ca.diagcat(self.J, self.m) @ H + ca.diag(self.armature)

    def free_forces(self, tau: SX) -> SX:
        """What is left of joint torques for M v', shape (n,)."""
        still = self.paths @ (self.Q @ self.C_rate + self.rates)
        return tau + self.motions.T @ ca.vertcat(
            self.f - self.J @ self.C_rate, self.g - self.m @ still
        )


def mixed_frames(model: Model, q: SX, v: SX) -> MixedFrames:
    """The matrices of a tree of hinges at a state.

    Three signs are other than printed: those of the hinge vectors in eq. 2.28, of Q'w in the
    appendices and of f there.

    Args:
        model: A tree of hinges, with the masses of its bodies (not regrouped).
        q: Angles [rad], shape (n,).
        v: Rates [rad/s], shape (n,).

    Raises:
        InvalidModel: A joint is no hinge.

    Reference:
        Wong (1991), §2.2.4 and appendices A, B; Hemami (1982).
    """
    bodies = hinged_bodies(model, q)
    n = len(bodies)
    to_root = outward(model.parents, SX.eye(3), lambda i, R: R @ bodies[i].rotation.full())
    motion = centre_accelerations(model, bodies, v, SX(n, 1), BaseMotion.still())
    w = [A.w for A in motion]
    Q, H2 = SX(3 * n, 3 * n), spread(incidence_matrix(model.parents).T)
    N1, E, rates = SX(3 * n, 2 * n), SX(3 * n, 3 * n), SX(3 * n, 1)
    for i, body in enumerate(bodies):
        p, R = body.parent, to_root[i]
        own = block(i)
        Q[own, own] = R @ skew(body.k)
        N1[own, 2 * i : 2 * i + 2] = ACROSS
        E[own, own] = SX.eye(3)
        rates[own] = -(R @ cross(w[i], cross(w[i], body.k)))
        if p >= 0:
            l, A = body.l_parent, body.rotation.full()  # A: from body axes to the parent's
            Q[own, block(p)] = -(to_root[p] @ skew(l))
            N1[block(p), 2 * i : 2 * i + 2] = -(A @ ACROSS)
            E[block(p), own] = -A
            rates[own] += to_root[p] @ cross(w[p], cross(w[p], l))
    return MixedFrames(
        U=spread(incidence_matrix(model.parents)),
        paths=spread(path_matrix(model.parents)),
        Q=Q,
        rates=rates,
        J=ca.diagcat(*(body.J for body in bodies)),
        m=ca.diagcat(*(body.m * SX.eye(3) for body in bodies)),
        f=ca.vertcat(*(-cross(x, body.J @ x) for x, body in zip(w, bodies, strict=True))),
        g=ca.vertcat(*(body.m * model.gravity for body in bodies)),
        H1=-Q.T,
        H2=H2,
        N1=N1,
        E=E,
        C=axis_matrix(bodies),
        C_rate=ca.vertcat(*(A.dw for A in motion)),
        armature=ca.vertcat(*(body.node.armature for body in bodies)),
    )


def hinged_bodies(model: Model, q: SX) -> tuple[CentredBody, ...]:
    """The bodies of a tree whose joints are hinges, each with a coordinate of its own.

    Raises:
        InvalidModel: With the first joint that is none.
    """
    for node in model.nodes:
        if node.freedom is not Freedom.TURN or node.is_scaled:
            raise InvalidModel(
                f"joint '{node.joint}' of '{model.mechanism.name}' is no hinge with a coordinate "
                "of its own; the matrices are for trees of hinges, "
                "mass_matrix.orthogonal_complement for all joints."
            )
    return centred_bodies(model, q)


def axis_matrix(bodies: Sequence[CentredBody]) -> SX:
    """C: the axis of every joint as every body beyond it sees it, shape (3n, n)."""
    return scattered(bodies, lambda axis, _: axis)


def scattered(bodies: Sequence[CentredBody], column: Callable[[SX, SX], SX]) -> SX:
    """A column of (axis c, rho) for every joint on the path to every body, shape (3n, n)."""
    C = SX(3 * len(bodies), len(bodies))
    for (i, j), reach in reaches(bodies).items():
        C[block(i), j] = column(reach.axes.angular, reach.rho)
    return C


def block(i: int) -> slice:
    """The three rows of a body."""
    return slice(3 * i, 3 * i + 3)


def spread(scalars: object) -> SX:
    """A matrix of numbers with each in the diagonal of a 3×3 block."""
    return ca.kron(constant(scalars), SX.eye(3))

"""The mass matrix from composite bodies about their centres of mass, in root axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.orthogonal_complement.bodies import CentredBody, centred_bodies
from phalanx.equations.spatial import Twist, Wrench, columnwise_cross, symmetric_product
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.passes import outward
from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class Composite:
    """All bodies beyond a hinge as one.

    Attributes:
        m: Mass [kg].
        c: From the hinge to the centre of mass [m].
        J: Inertia about the centre of mass [kg·m²].
    """

    m: SX
    c: SX
    J: SX

    def momentum(self, axes: Twist) -> Wrench:
        """About the hinge, when that moves: n = J c + c × f, f = m (u + c × centre)."""
        f = self.m * (axes.linear + columnwise_cross(axes.angular, self.c))
        return Wrench(self.J @ axes.angular + columnwise_cross(self.c, f), f)


@equation("M")
def composite_body(mechanism: Mechanism | Model, q: SX) -> SX:
    """Mass matrix M(q) from composite bodies with everything in root axes (method 3 as printed).

    :func:`mass_matrix.composite_body` is the same in the frames of the bodies, with moments in
    place of centres of mass. In Wong's account d has the wrong sign twice: in the distance from a
    composite's centre to that of the next, and in the moment that is handed inward.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Symmetric M [kg, kg·m or kg·m²], shape (nv, nv), sparse.

    Reference:
        Walker and Orin (1982), method 3; Lee and Chang (1988); Wong (1991), §2.2.1.
    """
    model = model_of(mechanism)
    bodies = centred_bodies(model, q)
    R = outward(model.parents, SX.eye(3), lambda i, R: R @ bodies[i].rotation.full())
    axes = [Twist(A @ b.axes.angular, A @ b.axes.linear) for A, b in zip(R, bodies, strict=True)]
    composites = _composites(bodies, R)
    blocks: dict[tuple[int, int], SX] = {}
    for i, body in enumerate(bodies):
        F = composites[i].momentum(axes[i])
        blocks[i, i] = axes[i].dot(F) + ca.diag(body.node.armature)
        child = i
        for j in model.path(i):
            # n_j = n_child - d × f
            F = F.about(R[j] @ bodies[j].d(child))
            blocks[j, i] = axes[j].dot(F)
            blocks[i, j] = blocks[j, i].T
            child = j
    return model.assemble(blocks)


def _composites(bodies: Sequence[CentredBody], R: Sequence[SX]) -> list[Composite]:
    """From the leaves to the root, each body with the composites that hang on it."""
    found: dict[int, Composite] = {}
    for i in reversed(range(len(bodies))):
        body = bodies[i]
        parts = [Composite(body.m, -(R[i] @ body.k), symmetric_product(R[i], body.J))]
        for child in body.l:
            there = found[child]
            parts.append(Composite(there.m, there.c - R[i] @ body.d(child), there.J))
        found[i] = _joined([part for part in parts if not (part.m.is_zero() and part.J.is_zero())])
    return [found[i] for i in range(len(bodies))]


def _joined(parts: Sequence[Composite]) -> Composite:
    """Bodies about one hinge as one body (parallel axes)."""
    if len(parts) == 1:
        return parts[0]
    m, h, J = SX(0), SX.zeros(3, 1), SX.zeros(3, 3)
    for part in parts:
        m, h, J = m + part.m, h + part.m * part.c, J + part.J
    centre = SX.zeros(3, 1) if m.is_zero() else h * (1 / m)
    for part in parts:
        r = part.c - centre
        J = J + part.m * (ca.dot(r, r) * SX.eye(3) - r @ r.T)
    return Composite(m, centre, J)

"""Contribution of a joint to A f = b, over symbols.

A joint lets its body move by P (6 x d) and holds it in the directions Q, at right angles to P. It
passes the wrench P⁺ᵀ tau + Q f to the body it carries, whose frame it is in, and the opposite
to the body it stands on, there as Tᵀ(...). T takes motions from one to the other. Of six numbers,
the linear ones come first.

The source writes accelerations as rates of velocities in body axes, which is best where bodies are
followed each by itself (:func:`moving_step`). Else they are those of the origin, which differ by
w × v and ask for no linear velocity: along a chain these grow, and what they add to both sides
would cancel with fewer and fewer digits. A and b are the same.

Reference:
    Sharf and D'Eleuterio (1993), eqs. 1-6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.base.casadi_operators import quick_operators
from phalanx.dynamics.evaluators.articulated import swung
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointKind
from phalanx.equations.spatial import Acceleration, Transform, Twist, Wrench
from phalanx.equations.tree.node import Freedom

X_AXIS, Y_AXIS, Z_AXIS = 0, 1, 2


@final
@dataclass(frozen=True, eq=False)
class JointTerms:
    """One joint of a kind at positions q, over symbols."""

    kind: JointKind
    q: SX
    v: SX

    @cached_property
    def transforms(self) -> tuple[Transform, ...]:
        """Pose of each node in the one before it."""
        result, at = [], 0
        for kind in self.kind.nodes:
            result.append(kind.node.transform(self.q[at : at + kind.freedom.nq]))
            at += kind.freedom.nq
        return tuple(result)

    def into_child(self, V: Twist) -> Twist:
        """T V: motion of the body it stands on, at the body it carries."""
        for X in self.transforms:
            V = V.into_child(X)
        return V

    def into_parent(self, F: Wrench) -> Wrench:
        """Tᵀ F: a wrench on the body it carries, at the body it stands on."""
        for X in reversed(self.transforms):
            F = F.into_parent(X)
        return F

    @cached_property
    def P(self) -> SX:
        """Motion of unit velocities, in the axes of the body it carries, shape (6, d)."""
        columns: list[SX] = []
        for k, kind in enumerate(self.kind.nodes):
            S = kind.node.axes
            for X in self.transforms[k + 1 :]:
                S = S.into_child(X)
            columns.append(S.numbers)
        return ca.horzcat(*columns)

    @cached_property
    def P_inverse(self) -> SX:
        """P⁺ = (PᵀP)⁻¹Pᵀ: velocities with which the joint moves by a motion, shape (d, 6)."""
        P = self.P
        if self.kind.freedoms == (Freedom.SCREW,):
            return P.T / ca.sumsqr(P)
        if self.kind.freedoms != (Freedom.TURN, Freedom.TURN):
            return P.T  # unit motions square to each other
        first, second, both = ca.sumsqr(P[:, 0]), ca.sumsqr(P[:, 1]), ca.dot(P[:, 0], P[:, 1])
        adjugate = ca.vertcat(ca.horzcat(second, -both), ca.horzcat(-both, first))
        return adjugate @ P.T / (first * second - both**2)

    @cached_property
    def Q(self) -> SX:
        """Directions that it holds, and those of rotors' forces, shape (6, size)."""
        if self.kind.locked:
            return SX.eye(6)
        rotors = [self.P_inverse[k, :].T for k in self.kind.rotors]
        return ca.horzcat(_complement(self.kind, self.P), *rotors)

    def motion(self, V_parent: Twist) -> tuple[Twist, Twist]:
        """Velocity of the body, and the rate of it while its parent and the joint have none.

        The second is Tdot V + Pdot v.
        """
        V, A, at = V_parent, Twist.none(), 0
        for kind, X in zip(self.kind.nodes, self.transforms, strict=True):
            own = kind.node.axes @ self.v[at : at + kind.freedom.nv]
            V = V.into_child(X) + own
            A = A.into_child(X) + V.cross(own)
            at += kind.freedom.nv
        return V, A

    def swung(self, w_parent: SX) -> Acceleration:
        """How the body accelerates by velocities alone, its parent turning at ``w_parent``."""
        A, at = Acceleration(w_parent, SX(3, 1), SX(3, 1)), 0
        for kind, X in zip(self.kind.nodes, self.transforms, strict=True):
            A = swung(kind.node, X, A, self.v[at : at + kind.freedom.nv])
            at += kind.freedom.nv
        return A


def _complement(kind: JointKind, P: SX) -> SX:
    """Orthonormal directions square to P, shape (6, 6 - d)."""
    e = ca.horzsplit(SX.eye(6))
    force, moment = e[:3], e[3:]
    match kind.freedoms:
        case (Freedom.TURN,):
            return ca.horzcat(*force, *moment[:Z_AXIS])
        case (Freedom.SLIDE,):
            across = _square_to(kind.nodes[0].node.axes.linear)
            return ca.horzcat(ca.vertcat(across, SX(3, 2)), *moment)
        case (Freedom.SCREW,):
            pitch = P[Z_AXIS]
            lift = (force[Z_AXIS] - pitch * moment[Z_AXIS]) / ca.sqrt(1 + pitch**2)
            return ca.horzcat(*force[:Z_AXIS], lift, *moment[:Z_AXIS])
        case (Freedom.BALL,):
            return ca.horzcat(*force)
        case (Freedom.PLANE,):
            return ca.horzcat(force[Z_AXIS], *moment[:Z_AXIS])
        case (Freedom.FREE,):
            return SX(6, 0)
        case (Freedom.TURN, Freedom.TURN):
            normal = ca.cross(P[3:, 0], P[3:, 1])
            return ca.horzcat(*force, ca.vertcat(SX(3, 1), normal / ca.norm_2(normal)))
        case (Freedom.TURN, Freedom.SLIDE):
            # it turns about the axis along which it slides
            across = _square_to(kind.nodes[1].node.axes.linear)
            return ca.diagcat(across, across)
        case freedoms:
            raise TypeError(f"no joint has nodes {freedoms}")


def _square_to(axis: SX) -> SX:
    """Two unit vectors square to a unit vector and to each other, smooth but for z = 0.

    Reference:
        Duff et al., Building an orthonormal basis, revisited (2017).
    """
    x, y, z = axis[X_AXIS], axis[Y_AXIS], axis[Z_AXIS]
    sign = ca.if_else(z >= 0, SX(1), SX(-1))
    a = -1 / (sign + z)
    b = x * y * a
    return ca.horzcat(
        ca.vertcat(1 + sign * x * x * a, sign * b, -sign * x),
        ca.vertcat(b, sign + y * y * a, -y),
    )


def _joint(kind: JointKind) -> tuple[JointTerms, SX]:
    """A joint of a kind over symbols, and symbols of the numbers that differ."""
    q, v = SX.sym("q", kind.nq), SX.sym("v", kind.nv)
    return JointTerms(kind, q, v), ca.vertcat(*(node.arguments for node in kind.nodes))


def _function(name: str, inputs: dict[str, SX], outputs: dict[str, SX]) -> ca.Function:
    dense = ca.cse([ca.densify(x) for x in outputs.values()])
    return ca.Function(name, list(inputs.values()), dense, list(inputs), list(outputs))


@quick_operators()
def turning_step(kind: JointKind) -> ca.Function:
    """(carried, numbers, q, v) -> w, angular velocity of the body, from that of its parent."""
    joint, numbers = _joint(kind)
    carried = SX.sym("carried", 3)
    w = joint.swung(carried).w
    inputs = {"carried": carried, "numbers": numbers, "q": joint.q, "v": joint.v}
    return _function("joint_turning", inputs, {"on": w, "w": w})


@quick_operators()
def motion_step(kind: JointKind) -> ca.Function:
    """(carried, numbers, q, v) -> V, velocity of the body, from that of its parent."""
    joint, numbers = _joint(kind)
    carried = SX.sym("carried", 6)
    V = joint.motion(Twist.of(carried))[0].numbers
    inputs = {"carried": carried, "numbers": numbers, "q": joint.q, "v": joint.v}
    return _function("joint_motion", inputs, {"on": V, "V": V})


@quick_operators()
def contribution_step(kind: JointKind, width: int) -> ca.Function:
    """Contribution of a joint and its body to A f = b, with the inboard body turning at w_parent.

    (q, v, tau, w_parent, numbers) -> Q; G = TᵀQ; c, the acceleration by velocities alone; h, what
    acts on the body beside the joints that it carries; and u = TᵀP⁺ᵀtau, what its own joint takes
    from its parent.
    """
    joint, numbers = _joint(kind)
    tau, w_parent = SX.sym("tau", kind.nv), SX.sym("w_parent", 3)
    c = joint.swung(w_parent)
    inertial = kind.nodes[-1].node.mass.wrench(Acceleration(c.w, SX(3, 1), SX(3, 1)))
    inputs = {"q": joint.q, "v": joint.v, "tau": tau, "w_parent": w_parent, "numbers": numbers}
    outputs = _contribution(joint, width, tau, ca.vertcat(c.a, c.dw), inertial)
    return _function("joint_contribution", inputs, outputs)


@quick_operators()
def moving_step(kind: JointKind, width: int) -> ca.Function:
    """Contribution as the source writes it, for bodies with velocities of their own.

    (q, v, tau, V, V_parent, numbers) -> Q, G, c = Tdot V_parent + Pdot v, h and u.
    """
    joint, numbers = _joint(kind)
    tau, V_body, V_parent = SX.sym("tau", kind.nv), SX.sym("V", 6), SX.sym("V_parent", 6)
    V, c = Twist.of(V_body), joint.motion(Twist.of(V_parent))[1]
    inertial = V.cross_wrench(kind.nodes[-1].node.mass.momentum(V))
    inputs = {"q": joint.q, "v": joint.v, "tau": tau, "V": V_body, "V_parent": V_parent}
    inputs |= {"numbers": numbers}
    return _function("joint_moving", inputs, _contribution(joint, width, tau, c.numbers, inertial))


def _contribution(joint: JointTerms, width: int, tau: SX, c: SX, inertial: Wrench) -> dict[str, SX]:
    kind = joint.kind
    Q = ca.horzcat(joint.Q, SX(6, width - kind.size))
    drive = Wrench.of(SX(6, 1) if kind.locked else joint.P_inverse.T @ tau)
    return {
        "Q": Q,
        "G": joint.into_parent(Wrench.of(Q)).numbers,
        "c": c,
        "h": (drive - inertial).numbers,
        "u": joint.into_parent(drive).numbers,
    }


@quick_operators()
def acceleration_step(kind: JointKind) -> ca.Function:
    """(q, A, A_parent, c, numbers) -> accelerations of the joint, P⁺(A - T A_parent - c)."""
    joint, numbers = _joint(kind)
    A, A_parent, c = (SX.sym(name, 6) for name in ("A", "A_parent", "c"))
    relative = A - joint.into_child(Twist.of(A_parent)).numbers - c
    a = SX(kind.nv, 1) if kind.locked else joint.P_inverse @ relative
    inputs = {"q": joint.q, "A": A, "A_parent": A_parent, "c": c, "numbers": numbers}
    return _function("joint_acceleration", inputs, {"a": a})


@quick_operators()
def load_step(kind: JointKind, width: int) -> ca.Function:
    """(q, tau, f, numbers) -> what the joint holds, and what acts along its freedoms."""
    joint, numbers = _joint(kind)
    tau, f = SX.sym("tau", kind.nv), SX.sym("f", width)
    held = kind.size if kind.locked else kind.size - len(kind.rotors)
    rotors = joint.Q[:, held:] @ f[held : kind.size]
    drive = SX(6, 1) if kind.locked else joint.P_inverse.T @ tau + rotors
    inputs = {"q": joint.q, "tau": tau, "f": f, "numbers": numbers}
    return _function("joint_load", inputs, {"held": joint.Q[:, :held] @ f[:held], "drive": drive})


@quick_operators()
def fit_step(kind: JointKind) -> ca.Function:
    """How a joint moves between bodies that move each by itself.

    (q, V, V_parent, numbers) -> v = P⁺(V - T V_parent); slack, what is left of V - T V_parent and
    no motion of the joint; and R, directions in the axes of the body it carries.
    """
    joint, numbers = _joint(kind)
    V, V_parent = SX.sym("V", 6), SX.sym("V_parent", 6)
    gap = V - joint.into_child(Twist.of(V_parent)).numbers
    v = SX(kind.nv, 1) if kind.locked else joint.P_inverse @ gap
    turned = joint.into_child(Twist.of(SX.eye(6))).numbers[:3, :3]
    inputs = {"q": joint.q, "V": V, "V_parent": V_parent, "numbers": numbers}
    slack = gap if kind.locked else gap - joint.P @ v
    return _function("joint_fit", inputs, {"v": v, "slack": slack, "R": turned})

"""Contribution of a joint to A f = b, over symbols.

A joint lets its body move by P (6 x d) and holds it in the directions Q, at right angles to P. It
passes the wrench P⁺ᵀ tau + Q f to the body it carries, whose frame it is in, and the opposite
to the body it stands on, there as Tᵀ(...). T takes motions from one to the other. Of six numbers,
the linear ones come first.

The source writes accelerations as rates of velocities in body axes, which is best where bodies are
followed each by itself (:func:`moving_step`). Else they are those of the origin, which differ by
w × v and ask for no linear velocity: along a chain these grow, and what they add to both sides
would cancel with fewer and fewer digits. A and b are the same.

A link within a joint moves by T_k V_parent + J_k v. A wrench w on it acts as J_kᵀ w along the
freedoms of the joint and T_kᵀ w on the body that the joint stands on. Its inertial force U φ is
unknown, the rest of what it needs to move is not.

Reference:
    Sharf and D'Eleuterio (1993), eqs. 1-6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
    factors: SX = field(default_factory=lambda: SX(0, 1))

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

    def into_parent(self, F: Wrench, node: int | None = None) -> Wrench:
        """Tᵀ F: a wrench on the body it carries, or on a node, at the body it stands on."""
        last = len(self.transforms) if node is None else node + 1
        for X in reversed(self.transforms[:last]):
            F = F.into_parent(X)
        return F

    def motions(self, node: int) -> SX:
        """J: motion of a node by unit velocities of the joint, in its axes, shape (6, free)."""
        assert 0 <= node < len(self.kind.nodes)
        columns: list[SX] = []
        for k, kind in enumerate(self.kind.nodes):
            S = kind.node.axes if k <= node else Twist.none(kind.freedom.nv)
            for X in self.transforms[k + 1 : node + 1]:
                S = S.into_child(X)
            columns.append(S.numbers)
        return _columns(ca.horzcat(*columns), self.kind.free)

    @cached_property
    def P(self) -> SX:
        """Motion of unit velocities, in the axes of the body it carries, shape (6, free)."""
        return self.motions(len(self.kind.nodes) - 1)

    @cached_property
    def _triangular(self) -> tuple[SX, SX, list[SX]]:
        return orthogonal_triangular(self.P)

    @cached_property
    def pivot(self) -> SX:
        """How far its motions are from depending on each other, at most 1."""
        left = SX(1)
        for k, apart in enumerate(self._triangular[2]):
            share = apart / ca.norm_2(self.P[:, k])
            left = ca.if_else(share < left, share, left)  # NaN follows a zero, and is not less
        return left

    @cached_property
    def P_inverse(self) -> SX:
        """P⁺ = (PᵀP)⁻¹Pᵀ: velocities with which the joint moves by a motion, shape (free, 6)."""
        P = self.P
        if self.kind.within:
            H, R, _ = self._triangular
            return upper_triangular_solve(R, H[:, : P.shape[1]].T)
        if self.kind.freedoms == (Freedom.SCREW,):
            return P.T / ca.sumsqr(P)
        if self.kind.freedoms != (Freedom.TURN, Freedom.TURN) or not self.kind.free:
            return P.T  # unit motions square to each other
        first, second, both = ca.sumsqr(P[:, 0]), ca.sumsqr(P[:, 1]), ca.dot(P[:, 0], P[:, 1])
        adjugate = ca.vertcat(ca.horzcat(second, -both), ca.horzcat(-both, first))
        return adjugate @ P.T / (first * second - both**2)

    @cached_property
    def Q(self) -> SX:
        """Directions that it holds, and those of rotors' forces, shape (6, size)."""
        if not self.kind.free:
            held = SX.eye(6)
        elif self.kind.within:
            held = self._triangular[0][:, self.P.shape[1] :]
        else:
            held = _complement(self.kind, self.P)
        rotors = [self.P_inverse[self.kind.free.index(k), :].T for k in self.kind.rotors]
        return ca.horzcat(held, *rotors)

    @cached_property
    def links(self) -> tuple[LinkTerms, ...]:
        """The links within it, inboard first."""
        found, at = [], 0
        for node, rank in self.kind.within:
            U = ca.reshape(self.factors[at : at + 6 * rank], 6, rank)
            found.append(LinkTerms(node, U, self.motions(node)))
            at += 6 * rank
        return tuple(found)

    def motion(self, V_parent: Twist) -> list[tuple[Twist, Twist]]:
        """Velocity of each node, and the rate of it while the parent and the joint have none.

        The second is Tdot V + Pdot v.
        """
        V, A, at, found = V_parent, Twist.none(), 0, []
        for kind, X in zip(self.kind.nodes, self.transforms, strict=True):
            own = kind.node.axes @ self.v[at : at + kind.freedom.nv]
            V = V.into_child(X) + own
            A = A.into_child(X) + V.cross(own)
            at += kind.freedom.nv
            found.append((V, A))
        return found

    def swung(self, w_parent: SX) -> list[Acceleration]:
        """How each node accelerates by velocities alone, the parent turning at ``w_parent``."""
        A, at, found = Acceleration(w_parent, SX(3, 1), SX(3, 1)), 0, []
        for kind, X in zip(self.kind.nodes, self.transforms, strict=True):
            A = swung(kind.node, X, A, self.v[at : at + kind.freedom.nv])
            at += kind.freedom.nv
            found.append(A)
        return found


@final
@dataclass(frozen=True, eq=False)
class LinkTerms:
    """A link within a joint, over symbols.

    Attributes:
        node: Which node of the joint carries it.
        U: Its mass matrix is U Uᵀ, shape (6, rank).
        J: Its motion by unit velocities of the joint, in its axes, shape (6, free).
    """

    node: int
    U: SX
    J: SX


def orthogonal_triangular(P: SX) -> tuple[SX, SX, list[SX]]:
    """H and R with P = H[:, :d] R by Householder reflections; H orthogonal, R upper triangular.

    Beside them what each column has beyond those before it, which is the size of a pivot.
    """
    H, R, left = SX.eye(P.shape[0]), ca.densify(P), []
    for k in range(P.shape[1]):
        x = R[k:, k]
        left.append(ca.norm_2(x))
        u = ca.vertcat(x[0] + ca.if_else(x[0] >= 0, SX(1), SX(-1)) * left[k], x[1:])
        scaled = 2 / ca.sumsqr(u) * u
        R[k:, :] -= scaled @ (u.T @ R[k:, :])
        H[:, k:] -= (H[:, k:] @ scaled) @ u.T
    return H, R[: P.shape[1], :], left


def upper_triangular_solve(R: SX, B: SX) -> SX:
    """R⁻¹ B by back substitution."""
    X = ca.densify(B)
    for k in reversed(range(R.shape[0])):
        X[k, :] = (X[k, :] - R[k, k + 1 :] @ X[k + 1 :, :]) / R[k, k]
    return X


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


def joint_of(kind: JointKind) -> tuple[JointTerms, SX]:
    """A joint of a kind over symbols, and symbols of the numbers that differ."""
    q, v = SX.sym("q", kind.nq), SX.sym("v", kind.nv)
    factors = SX.sym("factors", 6 * sum(rank for _, rank in kind.within))
    return JointTerms(kind, q, v, factors), ca.vertcat(
        *(node.arguments for node in kind.nodes), factors
    )


def _rows(x: SX, which: Sequence[int]) -> SX:
    """Some rows of a column, or none."""
    return ca.vertcat(SX(0, 1), *(x[k] for k in which))


def _columns(x: SX, which: Sequence[int]) -> SX:
    """Some columns, or none."""
    return ca.horzcat(SX(x.shape[0], 0), *(x[:, k] for k in which))


def _of_all(kind: JointKind, free: SX) -> SX:
    """Numbers of the freedoms that move, and zeros for those that are locked."""
    every = SX(kind.nv, 1)
    for row, k in enumerate(kind.free):
        every[k] = free[row]
    return every


def _function(name: str, inputs: dict[str, SX], outputs: dict[str, SX]) -> ca.Function:
    dense = ca.cse([ca.densify(x) for x in outputs.values()])
    return ca.Function(name, list(inputs.values()), dense, list(inputs), list(outputs))


@quick_operators()
def turning_step(kind: JointKind) -> ca.Function:
    """(carried, numbers, q, v) -> w, angular velocity of the body, from that of its parent."""
    joint, numbers = joint_of(kind)
    carried = SX.sym("carried", 3)
    w = joint.swung(carried)[-1].w
    inputs = {"carried": carried, "numbers": numbers, "q": joint.q, "v": joint.v}
    return _function("joint_turning", inputs, {"on": w, "w": w})


@quick_operators()
def motion_step(kind: JointKind) -> ca.Function:
    """(carried, numbers, q, v) -> V, velocity of the body, from that of its parent."""
    joint, numbers = joint_of(kind)
    carried = SX.sym("carried", 6)
    V = joint.motion(Twist.of(carried))[-1][0].numbers
    inputs = {"carried": carried, "numbers": numbers, "q": joint.q, "v": joint.v}
    return _function("joint_motion", inputs, {"on": V, "V": V})


@quick_operators()
def contribution_step(kind: JointKind, width: int) -> ca.Function:
    """Contribution of a joint and its body to A f = b, with the inboard body turning at w_parent.

    (q, v, tau, w_parent, numbers) -> Q; G = TᵀQ; c, the acceleration by velocities alone; h, what
    acts on the body beside the joints that it carries; and u = TᵀP⁺ᵀtau, what its own joint takes
    from its parent. With links within the joint: (..., external), wrenches on them, and further
    results (:func:`_contribution`).
    """
    joint, numbers = joint_of(kind)
    tau, w_parent = SX.sym("tau", kind.nv), SX.sym("w_parent", 3)
    swung = joint.swung(w_parent)
    needed = [
        node.node.mass.wrench(Acceleration(A.w, SX(3, 1), SX(3, 1)))
        for node, A in zip(kind.nodes, swung, strict=True)
    ]
    inputs = {"q": joint.q, "v": joint.v, "tau": tau, "w_parent": w_parent, "numbers": numbers}
    rates = [ca.vertcat(A.a, A.dw) for A in swung]
    return _contribution("joint_contribution", joint, width, inputs, rates, needed)


@quick_operators()
def moving_step(kind: JointKind, width: int) -> ca.Function:
    """Contribution as the source writes it, for bodies with velocities of their own.

    (q, v, tau, V, V_parent, numbers) -> Q, G, c = Tdot V_parent + Pdot v, h and u; links within
    the joint as in :func:`contribution_step`.
    """
    joint, numbers = joint_of(kind)
    tau, V_body, V_parent = SX.sym("tau", kind.nv), SX.sym("V", 6), SX.sym("V_parent", 6)
    moves = joint.motion(Twist.of(V_parent))
    velocities = [*(V for V, _ in moves[:-1]), Twist.of(V_body)]
    needed = [
        V.cross_wrench(node.node.mass.momentum(V))
        for node, V in zip(kind.nodes, velocities, strict=True)
    ]
    inputs = {"q": joint.q, "v": joint.v, "tau": tau, "V": V_body, "V_parent": V_parent}
    inputs |= {"numbers": numbers}
    rates = [A.numbers for _, A in moves]
    return _contribution("joint_moving", joint, width, inputs, rates, needed)


def _contribution(
    name: str,
    joint: JointTerms,
    width: int,
    inputs: dict[str, SX],
    rates: Sequence[SX],
    needed: Sequence[Wrench],
) -> ca.Function:
    """A contribution, from what velocities make of each node's acceleration and wrench.

    Links within the joint give w, the wrenches on them that are known; s, what their rows of b
    have beyond that of others; and the pivot of the joint's motions.
    """
    kind, size = joint.kind, joint.kind.size
    external = SX.sym("external", 6 * len(kind.within))
    known = [
        Wrench.of(external[6 * i : 6 * i + 6]) - needed[link.node]
        for i, link in enumerate(joint.links)
    ]
    along = _rows(inputs["tau"], kind.free)
    for link, w in zip(joint.links, known, strict=True):
        along += link.J.T @ w.numbers
    drive = Wrench.of(joint.P_inverse.T @ along)
    u = joint.into_parent(drive)
    for link, w in zip(joint.links, known, strict=True):
        u -= joint.into_parent(w, link.node)

    inertial = [joint.P_inverse.T @ link.J.T @ link.U for link in joint.links]
    Q = ca.horzcat(joint.Q, *inertial, SX(6, width - size))
    G = joint.into_parent(Wrench.of(Q)).numbers
    s, at = SX(width, 1), size - sum(rank for _, rank in kind.within)
    for link in joint.links:
        if not link.U.shape[1]:
            continue
        own = slice(at, at + link.U.shape[1])
        G[:, own] -= joint.into_parent(Wrench.of(link.U), link.node).numbers
        s[own] = -link.U.T @ rates[link.node]
        at = own.stop
    outputs = {
        "Q": Q,
        "G": G,
        "c": rates[-1],
        "h": (drive - needed[-1]).numbers,
        "u": u.numbers,
    }
    if kind.within:
        inputs = inputs | {"external": external}
        outputs |= {"s": s, "w": ca.vertcat(*(w.numbers for w in known)), "pivot": joint.pivot}
    return _function(name, inputs, outputs)


@quick_operators()
def acceleration_step(kind: JointKind) -> ca.Function:
    """(q, A, A_parent, c, numbers) -> accelerations of the joint, P⁺(A - T A_parent - c)."""
    joint, numbers = joint_of(kind)
    A, A_parent, c = (SX.sym(name, 6) for name in ("A", "A_parent", "c"))
    relative = A - joint.into_child(Twist.of(A_parent)).numbers - c
    a = _of_all(kind, joint.P_inverse @ relative)
    inputs = {"q": joint.q, "A": A, "A_parent": A_parent, "c": c, "numbers": numbers}
    return _function("joint_acceleration", inputs, {"a": a})


@quick_operators()
def load_step(kind: JointKind, width: int) -> ca.Function:
    """(q, tau, f, numbers) -> what the joint holds, and what acts along its freedoms.

    With links within the joint: (..., w), the known wrenches on them, and results for each joint of
    the model that it consists of, side by side.
    """
    joint, numbers = joint_of(kind)
    tau, f = SX.sym("tau", kind.nv), SX.sym("f", width)
    w = SX.sym("w", 6 * len(kind.within))
    at = kind.held
    driven = SX(tau)
    for k in kind.rotors:
        driven[k] += f[at]
        at += 1
    for k in kind.locked:
        driven[k] = 0
    # links pass on what they do not need for themselves
    passed, on_links = _rows(driven, kind.free), []
    for i, link in enumerate(joint.links):
        rank = link.U.shape[1]
        on_links.append(Wrench.of(w[6 * i : 6 * i + 6] + link.U @ f[at : at + rank]))
        passed += link.J.T @ on_links[-1].numbers
        at += rank
    load = Wrench.of(joint.Q[:, : kind.held] @ f[: kind.held] + joint.P_inverse.T @ passed)
    drives: list[SX] = []
    helds: list[SX] = []
    for first, stop in reversed(kind.carriers):
        own = [k for k in kind.freedoms_of(first, stop) if k in kind.free]
        P = _columns(joint.motions(stop - 1), [kind.free.index(k) for k in own])
        drive = _driven(joint, P, _rows(driven, own))
        drives.insert(0, drive)
        helds.insert(0, load.numbers - drive)
        for X in reversed(joint.transforms[first:stop]):
            load = load.into_parent(X)
        if first:
            load -= on_links.pop()
    inputs = {"q": joint.q, "tau": tau, "f": f, "numbers": numbers}
    if kind.within:
        inputs |= {"w": w}
    outputs = {"held": SX(ca.horzcat(*helds)), "drive": SX(ca.horzcat(*drives))}
    return _function("joint_load", inputs, outputs)


def _driven(joint: JointTerms, P: SX, forces: SX) -> SX:
    """The wrench of forces along the motions P of one joint of the model, shape (6,)."""
    if not P.shape[1]:
        return SX(6, 1)
    if not joint.kind.within:
        return joint.P_inverse.T @ forces
    H, R, _ = orthogonal_triangular(P)
    return upper_triangular_solve(R, H[:, : P.shape[1]].T).T @ forces


@quick_operators()
def fit_step(kind: JointKind) -> ca.Function:
    """How a joint moves between bodies that move each by itself.

    (q, V, V_parent, numbers) -> v = P⁺(V - T V_parent); slack, what is left of V - T V_parent and
    no motion of the joint; and R, directions in the axes of the body it carries.
    """
    joint, numbers = joint_of(kind)
    V, V_parent = SX.sym("V", 6), SX.sym("V_parent", 6)
    gap = V - joint.into_child(Twist.of(V_parent)).numbers
    v = _of_all(kind, joint.P_inverse @ gap)
    turned = joint.into_child(Twist.of(SX.eye(6))).numbers[:3, :3]
    inputs = {"q": joint.q, "V": V, "V_parent": V_parent, "numbers": numbers}
    slack = gap - joint.P @ _rows(v, kind.free)
    return _function("joint_fit", inputs, {"v": v, "slack": slack, "R": turned})

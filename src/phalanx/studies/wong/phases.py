"""Operations of the complement's phases for a general chain, counted on the product's own steps.

A general chain has a twist, hinge vectors and a full inertia for every body, all of them symbols;
what the phase before has computed is fresh symbols too, so that nothing folds and a phase is
counted alone. What is known beforehand is not: the axis z of a body's own joint, what stands on the
diagonals of C and rho, and the zero in k × z.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import casadi as ca
from casadi import SX

from phalanx.equations.forward_dynamics.orthogonal_complement import along_the_tree
from phalanx.equations.mass_matrix.dense_solvers import cholesky, lu
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.orthogonal_complement.bodies import CentredBody, centred_bodies
from phalanx.equations.orthogonal_complement.recursion import (
    Reach,
    momentum,
    seen_axes,
    seen_hinge,
)
from phalanx.equations.spatial import (
    Rotation,
    Twist,
    Wrench,
    acceleration_matrix,
    cross,
    symmetric,
    vector,
)
from phalanx.kernel import Operations, count_operations
from phalanx.studies.wong.general_chain import general_chain


@dataclass(frozen=True)
class GeneralChain:
    """A chain of n hinged bodies about which nothing is known."""

    bodies: tuple[CentredBody, ...]

    @staticmethod
    def of(joints: int) -> GeneralChain:
        """A chain of so many joints.

        Raises:
            InvalidInput: When there are none.
        """
        model = model_in_given_frames(general_chain(joints))
        bodies = centred_bodies(model, SX.sym("q", joints))
        return GeneralChain(tuple(_general(body) for body in bodies))


def _general(body: CentredBody) -> CentredBody:
    A = SX.sym("A", 3, 3)
    A[2, 0] = 0  # of a twist about x and a turn about z
    return replace(
        body,
        rotation=Rotation(A.T),
        m=SX.sym("m"),
        J=symmetric(*(SX.sym("J") for _ in range(6))),
        k=SX.sym("k", 3),
        l_parent=SX.sym("l", 3),
    )


def inertia_phases(joints: int) -> dict[str, Operations]:
    """Operations of the mass matrix of a general chain, phase by phase.

    Phases have the symbols of what they compute. The last, the sum of the products over bodies, is
    not among the additions that the source counts.

    Args:
        joints: Of the chain.

    Reference:
        Wong (1991), §3.2, phases 1 to 6.
    """
    bodies = GeneralChain.of(joints).bodies
    below = [(i, j) for i in range(joints) for j in range(i)]
    c, rho, Jc, arm, product, added = [], [], [], [], [], 0
    for i, j in below:
        # the axis of the joint before is a column of A
        axis = bodies[j].axes if j == i - 1 else _turning(SX.sym("c", 3))
        c.append(seen_axes(bodies[i], axis).angular)
        rho.append(seen_hinge(bodies[i], SX.sym("rho", 3)))
        motion = Reach(_turning(SX.sym("c", 3)), SX.sym("rho", 3)).motion
        own = momentum(bodies[i], motion)
        Jc.append(own.moment)
        arm.append(own.force)
    for i in range(joints):
        # C and H are as before; on the diagonal k × z has a zero
        H = [_fresh(_motion(bodies[i], i, j)) for j in range(i + 1)]
        for j in range(i + 1):
            straight = _motion(bodies[i], i, j).linear
            own = Wrench(SX.sym("Jc", 3), _symbols_where(straight))
            for k in range(j + 1):
                if k < i:  # two diagonal elements: a constant
                    product.append(H[k].dot(own))
                added += i > j  # to the terms of bodies nearer to the root
    return {
        "A": _count(_turned_twist() for _ in range(joints)),
        "c": _count(c),
        "rho": _count(rho),
        "J c": _count(Jc),
        "m (rho x c)": _count(arm),
        "product": _count(product),
        "sum over bodies": Operations(add=added),
    }


def as_the_source_counts(phases: dict[str, Operations]) -> tuple[int, int]:
    """Multiplications and additions without those that the source leaves out."""
    counted = [count for phase, count in phases.items() if phase != "sum over bodies"]
    total = sum(counted, Operations())
    return total.multiply, total.add


def body_phases(first: bool = False) -> dict[str, Operations]:
    """Operations of the force vector for one body of a general chain, phase by phase.

    Args:
        first: Whether it is the body on the root, whose angular velocity lies along z and whose
            angular acceleration is zero.

    Reference:
        Wong (1991), §3.3.1, phases 1 to 6; at zero joint accelerations.
    """
    body = GeneralChain.of(2).bodies[1]
    R, rate = body.rotation, SX.sym("rate")
    along_z = vector(0, 0, rate)
    none = SX.zeros(3, 1)
    w = along_z if first else SX.sym("w", 3)
    dw = none if first else SX.sym("dw", 3)
    W = _symbols_where(acceleration_matrix(w, dw), same=first)
    carried = (
        SX.sym("g") * vector(0, 0, 1)
        if first
        else SX.sym("p", 3) + SX.sym("W", 3, 3) @ body.l_parent
    )
    turning = none if first else R.into_child(SX.sym("wp", 3)) + along_z
    spun = vector(rate * w[1], -rate * w[0], 0)
    return {
        "w": _count([turning]),
        "w'": _count([none if first else R.into_child(SX.sym("dwp", 3)) + spun]),
        "W": _count([acceleration_matrix(w, dw)]),
        "p''": _count([R.into_child(carried) - W @ body.k]),
        "m p''": _count([body.m * SX.sym("p", 3)]),
        "dL/dt": _count([body.J @ dw + cross(w, body.J @ w)]),
    }


def solver_operations(joints: int) -> dict[str, Operations]:
    """Operations of solvers of M a = b for a dense symmetric M of so many joints.

    A product with a reciprocal counts as a division here. Products and divisions of the
    factorization Lᵀ D L, whose reciprocals the source leaves out, are its Cholesky count.
    """
    M = ca.tril2symm(ca.tril(SX.sym("M", joints, joints)))
    b = SX.sym("b", joints)
    return {solve.__name__: _count([solve(M, b)]) for solve in (along_the_tree, cholesky, lu)}


def _turning(axis: SX) -> Twist:
    return Twist(axis, SX(3, 1))


def _motion(body: CentredBody, i: int, j: int) -> Twist:
    """Block (i, j) of the complement: constant on the diagonal."""
    if i == j:
        return Reach.own(body).motion
    return Reach(_turning(SX.sym("c", 3)), SX.sym("rho", 3)).motion


def _fresh(motion: Twist) -> Twist:
    """The same block as it comes from another phase."""
    return Twist(SX.sym("c", 3), _symbols_where(motion.linear))


def _symbols_where(x: SX, same: bool = False) -> SX:
    """A symbol for each entry that is not zero; ``same`` where entries are equal."""
    entries: dict[str, SX] = {}
    result = SX.zeros(*x.shape)
    for k in range(x.numel()):
        if not x[k].is_zero():
            name = str(x[k]) if same else str(k)
            result[k] = entries.setdefault(name, SX.sym("x"))
    return result


def _turned_twist() -> SX:
    """A_i from sines and cosines of the twist and the angle."""
    c, s = SX.sym("c"), SX.sym("s")
    twist = ca.vertcat(
        ca.horzcat(SX(1), SX(0), SX(0)), ca.horzcat(SX(0), c, -s), ca.horzcat(SX(0), s, c)
    )
    return Rotation(twist, (SX.sym("C"), SX.sym("S"))).full()


def _count(results: Iterable[SX]) -> Operations:
    """Of expressions in symbols of their own."""
    y = ca.densify(ca.vertcat(*(ca.vec(result) for result in results)))
    return count_operations(ca.Function("phase", [ca.vertcat(*ca.symvar(y))], [y]))

"""Shared steps of Newton-Euler algorithms with central inertias: 1, 5, 7, 8 and 9.

They differ in how a link's acceleration and its gyroscopic moment are formed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from casadi import SX

from phalanx.equations.inverse_dynamics.recursive import without_outer
from phalanx.equations.names import Names
from phalanx.equations.spatial import Rotation, Transform, Wrench, cross
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.passes import inward


def angular_velocity(R: Rotation, w_parent: SX, w_joint: SX) -> SX:
    """Step 1: w_i = Rᵀ w_{i-1} + z q'."""
    return R.into_child(w_parent) + w_joint


def inertial_force(link: Link, a_centre: SX) -> SX:
    """Step 5: F = m a_c."""
    return link.m * a_centre


def force_in_parent(R: Rotation, f: SX) -> SX:
    """F' = R f, kept because steps 7 and 8 of the parent both need it."""
    return R.into_parent(f)


def joint_force(F: SX, f_in_parent: SX) -> SX:
    """Step 7: f_{i-1} = F_{i-1} + f'_i."""
    return F + f_in_parent


def own_moment(link: Link, N: SX, F: SX) -> SX:
    """Step 8, the link's own moment about its origin: N + s × F."""
    return N + cross(link.s, F)


def joint_moment(X: Transform, own: SX, n: SX, f_in_parent: SX) -> SX:
    """Step 8: n_{i-1} = N_{i-1} + s_{i-1} × F_{i-1} + R n_i + p_{i-1} × f'_i."""
    return own + X.rotation.into_parent(n) + cross(X.translation, f_in_parent)


def joint_forces(
    model: Model,
    X: Sequence[Transform],
    own: Sequence[Wrench],
    a: SX,
    wrenches: Mapping[str, SX] | None,
    names: Names,
) -> SX:
    """Steps 7 to 9, from the leaves to the root: what every joint carries along its freedoms.

    Args:
        model: The machine.
        X: Pose of each link in its parent.
        own: What each link needs by itself, at its origin.
        a: Accelerations, for the rotors, each of which loads its own joint only.
        wrenches: What acts from outside, by frame.
        names: Takes the names of the components.

    Returns:
        Joint forces [N or N·m], shape (nv,).
    """

    def carry(i: int, parent: Wrench, child: Wrench) -> Wrench:
        f = force_in_parent(X[i].rotation, child.force)
        names.vector("JF", i + 1, child.force)
        names.vector("JM", i + 1, child.moment)
        names.vector("JFP", i + 1, f)
        return Wrench(
            joint_moment(X[i], parent.moment, child.moment, f), joint_force(parent.force, f)
        )

    carried = inward(model.parents, without_outer(model, own, wrenches), carry)
    for i, F in enumerate(carried, start=1):
        if model.parents[i - 1] < 0:
            names.vector("JF", i, F.force)
            names.vector("JM", i, F.moment)
    return model.gather(
        [node.joint_force(F, a) for node, F in zip(model.nodes, carried, strict=True)]
    )


def name_turns(names: Names, X: Sequence[Transform]) -> None:
    """Record the cosine and sine of every joint that turns: ``C3``, ``S3``."""
    for i, turn in enumerate((x.rotation.turn for x in X), start=1):
        if turn is not None:
            names.scalar(f"C{i}", turn[0])
            names.scalar(f"S{i}", turn[1])

"""Constraint forces and moments of hinges, which the complement eliminates."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.orthogonal_complement.loads import body_loads, carried
from phalanx.equations.orthogonal_complement.mixed_frames import hinged_bodies
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.passes import outward


@dataclass(frozen=True)
class Transmitted:
    """Forces and moments in the hinges of a tree.

    Attributes:
        gamma: Force on each body at its hinge, in root axes [N], shape (3n,).
        lamda: Moment on it across the axis, x and y of the body [N·m], shape (2n,).
        tau: Moment about the axis, without what the rotor takes [N·m], shape (n,).
    """

    gamma: SX
    lamda: SX
    tau: SX

    @property
    def torques(self) -> SX:
        """Moments about the axes as vectors in body axes, shape (3n,)."""
        return ca.kron(self.tau, SX([0, 0, 1]))


def transmitted(model: Model, q: SX, v: SX, a: SX) -> Transmitted:
    """Forces and moments that hinges transmit, by the recursion of Luh, Walker and Paul.

    m x'' = gamma_i - gamma_j + m g and dL/dt = R lamda_i - R lamda_j + k × gamma_i - l × gamma_j +
    tau_i - tau_j for every body i with children j.

    Args:
        model: A tree of hinges, with the masses of its bodies (not regrouped).
        q: Angles [rad], shape (n,).
        v: Rates [rad/s], shape (n,).
        a: Angular accelerations of the joints [rad/s²], shape (n,).

    Reference:
        Wong (1991), §1.2.2 and §2.2.1.
    """
    bodies = hinged_bodies(model, q)
    at_hinges = carried(bodies, body_loads(model, bodies, v, a))
    to_root = outward(model.parents, SX.eye(3), lambda i, R: R @ bodies[i].rotation.full())
    return Transmitted(
        ca.vertcat(*(R @ F.force for R, F in zip(to_root, at_hinges, strict=True))),
        ca.vertcat(*(F.moment[:2] for F in at_hinges)),
        ca.vertcat(*(F.moment[2] for F in at_hinges)),
    )

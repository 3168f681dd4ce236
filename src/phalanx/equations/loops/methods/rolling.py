"""Rolling contacts: height constraints, and nonholonomic velocity constraints.

The point of a wheel that touches is seen from the ground: fixed to the wheel for a moment, it has
no velocity along the plane. Which point of the wheel that is changes with the posture, so that
these rates are no derivative of anything: A(q) v = 0 without a c(q) = 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.quantities.configuration import position_rate
from phalanx.equations.quantities.kinematics import forward_kinematics
from phalanx.equations.spatial import constant
from phalanx.equations.tree.model import Model
from phalanx.mechanism.rolling import Blade, Contact, RollingContact


@dataclass(frozen=True)
class Rolling:
    """The equations of contacts at a state.

    Attributes:
        height: How far wheels are from touching [m], one for each wheel, shape (k,).
        slip: Velocities that must be zero [m/s], shape (m,).
    """

    height: SX
    slip: SX


def rolling(model: Model, contacts: tuple[Contact, ...], q: SX, v: SX) -> Rolling:
    """Equations of all contacts: two velocities of every wheel and one of every blade."""
    heights = [_height(model, x, q) for x in contacts if isinstance(x, RollingContact)]
    slips = [_slip(model, contact, q, v) for contact in contacts]
    return Rolling(ca.vertcat(*heights), ca.vertcat(*slips))


def _height(model: Model, contact: RollingContact, q: SX) -> SX:
    """Height of the lowest point over the plane, seen from the ground."""
    R, p = _seen_from_ground(model, contact, q)
    return p[2] + (R @ _lowest(contact, R))[2]


def _slip(model: Model, contact: Contact, q: SX, v: SX) -> SX:
    """Velocity along the plane of the point that touches."""
    R, p = _seen_from_ground(model, contact, q)
    fixed = SX.sym("fixed", 3)  # the point, as the body carries it
    point = p + R @ fixed
    slip = ca.jtimes(point[:2], q, position_rate(model, q, v))
    if isinstance(contact, Blade):
        heading = (R @ constant(contact.forward))[:2]
        across = ca.vertcat(-heading[1], heading[0]) / ca.norm_2(heading)
        slip, touches = ca.dot(across, slip), SX.zeros(3)
    else:
        touches = _lowest(contact, R)
    return ca.substitute(slip, fixed, touches)


def _lowest(contact: RollingContact, R: SX) -> SX:
    """The point of a wheel nearest to the plane, or beyond it, in the wheel's frame."""
    up = R.T @ SX([0, 0, 1])
    if contact.axis is None:
        return -contact.radius * up
    axle = constant(contact.axis)
    steep = up - axle * ca.dot(axle, up)
    return -contact.radius * steep / ca.norm_2(steep)


def _seen_from_ground(model: Model, contact: Contact, q: SX) -> tuple[SX, SX]:
    """Attitude and place of the contact's frame in axes of the ground."""
    ground = contact.ground or model.mechanism.bodies[0].name
    X_g = forward_kinematics(model, q, frame=ground)
    X_c = forward_kinematics(model, q, frame=contact.frame)
    R_g = X_g[:3, :3]
    return R_g.T @ X_c[:3, :3], R_g.T @ (X_c[:3, 3] - X_g[:3, 3])

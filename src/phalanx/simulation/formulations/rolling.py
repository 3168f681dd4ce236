"""Formulation with states (q, v) for rolling machines (nonholonomic constraints, loops).

Equations of velocities that follow from others are the rule here: two wheels on one axle say the
same of what goes sideways, and joints of a vehicle hold its wheels on the ground. So the equations
are solved by decomposition at every evaluation, and forces of redundant ones are the smallest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.expression import identifier
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.closure.equations import closure
from phalanx.equations.loops.methods.rolling import rolling
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.configuration import integrate, normalized, position_rate
from phalanx.equations.quantities.kinematics import forward_kinematics
from phalanx.kernel import compile
from phalanx.mechanism import Mechanism
from phalanx.mechanism.rolling import Contact, RollingContact
from phalanx.simulation.formulations.formulation import Array, Control, Formulation, Notes

START = 1e-6  # [m, rad, m/s or rad/s] that a start may be off
_HELD = 1e-13  # [m or m/s] that a step may leave
_NEWTON = 20
_RANK = 1e-10  # of the largest eigenvalue; equations below follow from others


@dataclass(frozen=True)
class _Terms:
    """Of a machine at a state: mass matrix, bias, and equations of loops and contacts.

    Attributes:
        M: Mass matrix.
        bias: Joint forces without acceleration.
        c: Openings of loops and heights of wheels, which must be zero.
        A: Derivative of c along the velocities, then what slips for unit velocities.
        b: Rate of A times v.
        dq: Rates of positions.
    """

    M: Array
    bias: Array
    c: Array
    A: Array
    b: Array
    dq: Array


class RollingMotion(Formulation):
    """Integrates (q, v) under loops, and contacts that roll without slip.

    Solves M a + bias = tau - Aᵀ lambda with A a + b = 0, A of loops, heights and slip together.
    Every step ends where loops are closed, wheels touch and nothing slips: Newton's method for
    positions, an impulse for velocities. Slip has no positions to go back to; where a wheel has
    come to stays open, as it is for the machine.

    Attributes:
        contacts: What rolls.

    Reference:
        Khan (2002), sec. 5.2, asks for it; Neimark and Fufaev, Dynamics of nonholonomic systems
        (1972), has the equations.
    """

    def __init__(self, mechanism: Mechanism, contacts: Sequence[Contact]) -> None:
        """Compile the terms of a machine.

        Args:
            mechanism: The machine.
            contacts: What rolls or glides, and on what.

        Raises:
            InvalidInput: There are no contacts, or two of one name.
            UnknownName: A frame is not of the machine.
        """
        self.mechanism, self.contacts = mechanism, tuple(contacts)
        names = [contact.name for contact in self.contacts]
        if not names or len(set(names)) < len(names):
            raise InvalidInput(
                f"contacts are {names}; expected some, each with a name of its own. Machines that "
                "do not roll have other formulations."
            )
        model = model_of(mechanism)
        q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
        unit = SX.sym("unit", mechanism.nv)
        dq = position_rate(model, q, v)
        held = rolling(model, self.contacts, q, v)
        c = ca.vertcat(closure(model, q), held.height)
        along = ca.jacobian(position_rate(model, q, unit), unit)
        A = ca.vertcat(ca.jacobian(c, q) @ along, ca.jacobian(held.slip, v))
        rate = ca.vertcat(ca.jtimes(c, q, dq), held.slip)
        b = ca.jtimes(rate, q, dq)
        bias = recursive(model, q, v, SX(mechanism.nv, 1))
        outputs = [composite_body(model, q), bias, c, A, b, dq]
        name = identifier(f"{mechanism.name}_rolling")
        self._terms = compile(
            ca.Function(
                name,
                [q, v],
                ca.cse([ca.densify(x) for x in outputs]),
                ["q", "v"],
                ["M", "bias", "c", "A", "b", "dq"],
            )
        ).call
        moved = normalized(model, integrate(model, q, v))
        self._move = compile(ca.Function(f"{name}_move", [q, v], [moved], ["q", "v"], ["q_next"]))
        self._loops = closure(model, q).numel()

    def freedoms(self, q: Array) -> int:
        """How many velocities are free at a posture, slip and loops taken off."""
        at = self._at(q, np.zeros(self.mechanism.nv))
        return self.mechanism.nv - int(np.linalg.matrix_rank(at.A, tol=_RANK * np.abs(at.A).max()))

    def off(self, q: Array, v: Array) -> tuple[Array, Array]:
        """What must be zero: openings of loops, heights of wheels, their rates, and slip.

        Returns:
            Positions [m or rad] and velocities [m/s or rad/s] that are off.
        """
        at = self._at(q, v)
        return at.c, at.A @ v

    def nearest(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The state next to one, loops closed, wheels on the ground and nothing slipping.

        Raises:
            InvalidInput: There is none that Newton's method finds.
        """
        for _ in range(_NEWTON):
            at = self._at(q, v)
            if np.abs(at.c).max(initial=0.0) <= _HELD:
                break
            q = self._move.call(q, -self._impulse(at, np.append(at.c, np.zeros(self._slips(at)))))
        else:
            raise InvalidInput(
                f"'{self.mechanism.name}' has no posture next to this one with its loops closed "
                f"and its wheels on the ground; {np.abs(at.c).max():.3g} m or rad are left."
            )
        return q, v - self._impulse(at, at.A @ v)

    def forces(self, q: Array, v: Array, tau: Array) -> dict[str, Array]:
        """Force of the ground on each contact, in axes of the ground [N], shape (3,) each.

        Where contacts share a load that statics does not divide, each bears as little as possible.
        A normal force below zero says that a wheel would lift off.
        """
        at = self._at(q, v)
        multiplier = -self._solved(at, tau)[1]
        heights = iter(multiplier[self._loops : len(at.c)])
        slips = iter(multiplier[len(at.c) :])
        found: dict[str, Array] = {}
        for contact in self.contacts:
            if isinstance(contact, RollingContact):
                found[contact.name] = np.array([next(slips), next(slips), next(heights)])
            else:
                found[contact.name] = next(slips) * self._across(contact.name, q)
        return found

    def begin(self, q: Array, v: Array) -> Array:
        """Return the numbers to integrate, for positions and velocities.

        Raises:
            InvalidInput: Loops are open, wheels off the ground, or something slips.
        """
        for what, off in zip(("positions", "velocities"), self.off(q, v), strict=True):
            worst = float(np.abs(off).max(initial=0.0))
            if not worst <= START:
                raise InvalidInput(
                    f"'{self.mechanism.name}' cannot start there: its {what} are off what loops "
                    f"and contacts allow by {worst:.3g}. Take those of nearest(q, v)."
                )
        return np.concatenate(self.nearest(q, v))

    def state(self, t: float, x: Array) -> tuple[Array, Array]:
        return x[: self.mechanism.nq], x[self.mechanism.nq :]

    def rate(self, t: float, x: Array, control: Control) -> Array:
        q, v = self.state(t, x)
        at = self._at(q, v)
        return np.concatenate([at.dq, self._solved(at, control(t, q, v))[0]])

    def after_step(self, t: float, x: Array, notes: Notes) -> Array | None:
        """Back to where loops are closed, wheels touch and nothing slips."""
        q, v = self.state(t, x)
        if max(np.abs(off).max(initial=0.0) for off in self.off(q, v)) <= _HELD:
            return None
        return np.concatenate(self.nearest(q, v))

    def _at(self, q: Array, v: Array) -> _Terms:
        return _Terms(*self._terms(q, v))

    def _slips(self, at: _Terms) -> int:
        return len(at.A) - len(at.c)

    def _solved(self, at: _Terms, tau: Array) -> tuple[Array, Array]:
        """Accelerations, and multipliers of all equations."""
        free = np.linalg.solve(at.M, tau - at.bias)
        response = np.linalg.solve(at.M, at.A.T)
        multiplier = _smallest(at.A @ response, at.A @ free + at.b)
        return free - response @ multiplier, multiplier

    def _impulse(self, at: _Terms, jump: Array) -> Array:
        """The smallest motion, as M measures it, that makes a jump of the equations."""
        response = np.linalg.solve(at.M, at.A.T)
        return response @ _smallest(at.A @ response, jump)

    def _across(self, name: str, q: Array) -> Array:
        """The direction in which a blade holds, in axes of the ground."""
        contact = next(x for x in self.contacts if x.name == name)
        assert not isinstance(contact, RollingContact)
        model = model_of(self.mechanism)
        ground = contact.ground or self.mechanism.bodies[0].name
        R_g, R = (
            np.array(ca.evalf(forward_kinematics(model, SX(q), frame=frame)))[:3, :3]
            for frame in (ground, contact.frame)
        )
        heading = (R_g.T @ R @ contact.forward)[:2]
        return np.array([-heading[1], heading[0], 0.0]) / np.linalg.norm(heading)


def _smallest(A: Array, right: Array) -> Array:
    """The smallest solution of equations of which some may follow from others, A symmetric."""
    values, vectors = np.linalg.eigh(A)
    kept = values > _RANK * max(values.max(initial=0.0), 1e-300)
    along = vectors[:, kept]
    return np.asarray(along @ ((along.T @ right) / values[kept]))

"""Stick-slip steps: sliding directions are held within a step, which is cut at a stop.

The directions of friction are settled at the beginning and kept, so that an integrator sees a
smooth machine. If a joint comes to rest on the way, the step ends there: velocities are followed by
a parabola through begin and end, the first joint to reach zero is set to it, directions are settled
anew, and the rest of the time is another step. Between stops the method has the integrator's order;
each stop costs an error of the order of the step squared.

A joint is brought to rest by an impulse in that joint alone: what the other joints have of momentum
stays, and the kinetic energy cannot grow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
from casadi import DM, SX

from phalanx.equations import integrate, kinetic_energy, mass_matrix
from phalanx.equations.tree.model import Model
from phalanx.simulation.integrators.integrators import Field, FixedStep, State

Directed = Callable[[SX], Field]  # the field of a machine whose friction has given directions
Decide = Callable[[State], SX]  # directions at a state


def stick_slip_step(
    model: Model,
    integrator: FixedStep,
    fields: Directed,
    decide: Decide,
    dry: DM,
    state: State,
    h: float,
    book: int | None = None,
) -> State:
    """The state one step of length ``h`` later.

    Args:
        model: The machine.
        integrator: Takes the smooth parts of the step.
        fields: Makes the field for directions of friction.
        decide: Settles the directions at a state.
        dry: 1 for each freedom that can stick, shape (nv,).
        state: At the beginning.
        h: [s].
        book: Place among ``state.z`` of the energy that joints lose when they are brought to rest.
    """
    towards = decide(state)
    field = fields(towards)
    end = integrator.step(model, field, state, h)
    share, stops = _first_stop(state, end, field, towards, dry, h)
    middle = _on_the_way(model, state, end, field, share, h)
    stops = ca.logic_or(stops, _turned(middle, towards, dry))
    middle = _brought_to_rest(model, middle, stops, book)

    towards = decide(middle)
    last = integrator.step(model, fields(towards), middle, (1 - share) * h)
    return _brought_to_rest(model, last, _turned(last, towards, dry), book)


def _first_stop(
    state: State, end: State, field: Field, towards: SX, dry: DM, h: float
) -> tuple[SX, SX]:
    """The share of the step after which the first joint stops (1 without one), and which do."""
    a, _ = field(state.t, state.q, state.v, state.z)
    before, slope = towards * state.v, h * towards * a
    curve = towards * end.v - before - slope
    crosses = ca.logic_and(dry, ca.logic_and(before > 0, towards * end.v < 0))
    # the falling root of before + slope x + curve x², in the form that does not cancel
    root = 2 * before / (ca.sqrt(ca.fmax(slope**2 - 4 * curve * before, 0)) - slope)
    shares = ca.if_else(crosses, root, 1)
    share = ca.mmin(shares)
    return share, ca.logic_and(crosses, shares == share)


def _on_the_way(model: Model, state: State, end: State, field: Field, share: SX, h: float) -> State:
    """The state after a share of a step, on a parabola of velocities; its end after all of it."""
    a, dz = field(state.t, state.q, state.v, state.z)
    x = share
    bend = end.v - state.v - h * a
    v = state.v + x * h * a + x**2 * bend
    way = h * (x * state.v + x**2 / 2 * h * a + x**3 / 3 * bend)
    q = integrate(model, state.q, way)
    z = state.z + x * h * dz + x**2 * (end.z - state.z - h * dz)
    whole = share == 1
    return replace(
        state,
        t=state.t + x * h,
        q=ca.if_else(whole, end.q, q),
        v=ca.if_else(whole, end.v, v),
        z=ca.if_else(whole, end.z, z),
    )


def _turned(state: State, towards: SX, dry: DM) -> SX:
    """Which joints no longer move the way their friction assumed, or should not move at all."""
    return ca.logic_and(dry, towards * state.v <= 0)


def _brought_to_rest(model: Model, state: State, stops: SX, book: int | None) -> State:
    """The state after impulses in the joints that stop: M v stays as it was in the others."""
    M = ca.densify(mass_matrix.composite_body(model, state.q))
    momentum = M @ state.v
    eye = SX.eye(model.nv)
    for k in range(model.nv):
        M[k, :] = ca.if_else(stops[k], ca.densify(eye[k, :]), M[k, :])
        momentum[k] = ca.if_else(stops[k], 0, momentum[k])
    # joints that were at rest change nothing for the others, to the last bit
    moved = ca.mmax(ca.fabs(stops * state.v)) > 0
    v = ca.if_else(moved, ca.solve(M, momentum), state.v)
    v = ca.if_else(stops, 0, v)
    z = SX(state.z)
    if book is not None:
        before = kinetic_energy(model, state.q, state.v)
        z[book] += before - kinetic_energy(model, state.q, v)
    return replace(state, v=v, z=z)

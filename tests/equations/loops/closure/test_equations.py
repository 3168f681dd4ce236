"""Closure equations say what closures mean, and count what they take away."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings

from equations.loops.random_loops import CLOSURES, HELD, closed_machines, world_poses
from evaluate import close
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.closure.equations import closure, constraint, rows_of_loops
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.configuration import integrate
from phalanx.mechanism import (
    Cylindrical,
    Fixed,
    FixedDistance,
    Planar,
    PlanarPin,
    Prismatic,
    Revolute,
    Universal,
)


def functions(mechanism):
    model = model_of(mechanism)
    q, v = ca.SX.sym("q", mechanism.nq), ca.SX.sym("v", mechanism.nv)
    x = constraint(model, q, v)
    rate = ca.Function("rate", [q, v], [x.A @ v, x.b])
    return (
        ca.Function("c", [q], [closure(model, q)]),
        rate,
        ca.Function("m", [q, v], [integrate(model, q, v)]),
    )


def violation(mechanism, loop, q) -> float:
    """How far a loop is from closed, by poses of its frames and plain geometry."""
    X = world_poses(mechanism, q)
    seen = X[loop.frame_a].inverse() @ X[loop.frame_b]
    R, p, motion = seen.rotation, seen.translation, loop.motion
    axis = getattr(motion, "axis", None)
    angle = np.arccos(np.clip((np.trace(R) - 1) / 2, -1, 1))
    match motion:
        case Fixed():
            return max(np.linalg.norm(p), angle)
        case Revolute():
            return max(np.linalg.norm(p), np.linalg.norm(np.cross(R @ axis, axis)))
        case Prismatic():
            return max(np.linalg.norm(np.cross(p, axis)), angle)
        case Cylindrical():
            return max(np.linalg.norm(np.cross(p, axis)), np.linalg.norm(np.cross(R @ axis, axis)))
        case Planar():
            return max(abs(p @ axis), np.linalg.norm(np.cross(R @ axis, axis)))
        case PlanarPin():
            return np.linalg.norm(np.cross(p, axis))
        case FixedDistance(length=length):
            return abs(np.linalg.norm(p) - length)
        case Universal(first=first, second=second):
            return max(np.linalg.norm(p), abs(first @ R @ second - first @ second))
        case _:
            return np.linalg.norm(p)


@pytest.mark.parametrize("kind", CLOSURES)
def test_equations_vanish_where_the_closure_holds_and_only_there(kind):
    @settings(max_examples=4, deadline=None)
    @given(closed_machines(kind, max_loops=1))
    def law(x):
        m, loop = x.mechanism, x.mechanism.loops[0]
        c, _, move = functions(m)
        assert c.size1_out(0) == HELD[kind] == len(rows_of_loops(model_of(m)))
        close(np.asarray(c(x.q)).ravel(), np.zeros(HELD[kind]), 1e-13)
        close(
            closed_loops(m).search.openings(x.q),
            np.zeros(len(closed_loops(m).search.owners)),
            1e-13,
        )
        assert violation(m, loop, x.q) < 1e-7  # the cosine of an angle knows half of its digits
        # away from there, all three measures agree in size
        d = np.random.default_rng(0).standard_normal(m.nv)
        q = np.asarray(move(x.q, 0.05 * d)).ravel()
        sizes = [
            float(np.linalg.norm(np.asarray(c(q)))),
            float(np.linalg.norm(closed_loops(m).search.openings(q))),
            float(violation(m, loop, q)),
        ]
        if max(sizes) > 1e-9:
            assert min(sizes) > max(sizes) / 4, sizes

    law()


@settings(max_examples=10, deadline=None)
@given(closed_machines(mimics=True))
def test_rates_are_those_of_the_openings(x):
    """A v and its rate along the motion, against differences of c along the exponential of v."""
    m = x.mechanism
    c, rate, move = functions(m)
    v = np.random.default_rng(1).standard_normal(m.nv)

    def opening(t):
        return np.asarray(c(np.asarray(move(x.q, t * v)).ravel())).ravel()

    h = 1e-3
    Av, _ = rate(x.q, v)
    four = (8 * (opening(h) - opening(-h)) - (opening(2 * h) - opening(-2 * h))) / (12 * h)
    close(np.asarray(Av).ravel(), four, 1e-8)
    # the exponential keeps v of each joint constant, so the second derivative is b alone
    b = np.asarray(rate(x.q, v)[1]).ravel()
    rates = [np.asarray(rate(np.asarray(move(x.q, s * v)).ravel(), v)[0]).ravel() for s in (h, -h)]
    further = [
        np.asarray(rate(np.asarray(move(x.q, s * v)).ravel(), v)[0]).ravel()
        for s in (2 * h, -2 * h)
    ]
    close(b, (8 * (rates[0] - rates[1]) - (further[0] - further[1])) / (12 * h), 1e-7)

"""How strongly loops hold a machine, and what goes on where they do not."""

import numpy as np
import pytest
from casadi import DM, SX, Function

import phalanx as px
from equations.loops.flat_four_bars import ALONG, OneCoordinate, parallelogram
from phalanx import loops
from phalanx.equations.loops.numbers.conditioning import loop_conditioning


def accelerations(machine, q, v, before=None):
    """Without joint forces, by CasADi's interpreter."""
    zero = SX(machine.nv, 1)
    known = None if before is None else SX(DM(before))
    x = SX.sym("x", machine.nv)
    a = loops.multipliers(machine, x, SX(DM(v)), zero, before=known)
    return np.asarray(Function("a", [x], [a])(q)).ravel()


def test_strength_falls_with_the_square_of_the_angle():
    machine = parallelogram()
    far, near = (loop_conditioning(machine, angle * ALONG)["pin"] for angle in (1e-3, 1e-4))
    assert 1e-8 < near < 1e-6
    assert near / far == pytest.approx(1e-2, rel=1e-3)
    assert loop_conditioning(machine, 0 * ALONG)["pin"] == 0.0


@pytest.mark.parametrize("name", ["planar_3rrr", "four_bar", "stewart", "bucket_linkage"])
def test_machines_are_strong_at_usual_postures(name):
    machine = px.library.by_name(name)
    held = loop_conditioning(machine, px.assemble(machine).q)
    assert set(held) <= {loop.name for loop in machine.loops}
    assert min(held.values()) > 0.05


def test_what_was_before_makes_no_difference_elsewhere():
    machine = px.library.four_bar()
    x = px.assemble(machine, velocity=np.ones(machine.nv))
    before = np.random.default_rng(0).standard_normal(3)
    knowing = accelerations(machine, x.q, x.v, before)
    np.testing.assert_array_equal(knowing, accelerations(machine, x.q, x.v))


def test_next_to_a_flat_posture_rounding_does_not_accelerate():
    """Velocities off by 1e-9 rad/s across the branch, where equations would make 1e-3 of it."""
    machine = parallelogram()
    angle, speed = 2e-6, 2.0
    exact = float(OneCoordinate().rate()(angle, speed)) * ALONG
    off = speed * ALONG + np.array([0.0, 1e-9, 1e-9])
    plain = accelerations(machine, angle * ALONG, off)
    knowing = accelerations(machine, angle * ALONG, off, exact)
    assert np.abs(plain - exact).max() > 1e-4
    np.testing.assert_allclose(knowing, exact, rtol=0, atol=1e-6)


def test_exactly_flat_there_are_numbers():
    machine = parallelogram()
    a = accelerations(machine, 0 * ALONG, 2 * ALONG, 0 * ALONG)
    assert np.isfinite(a).all()

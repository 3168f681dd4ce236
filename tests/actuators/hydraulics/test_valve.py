from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from .machines import DEADBAND, TANK, valve

U, P, A, B = (SX.sym(name) for name in "upab")


def flows(**changes):
    at_a, at_b = valve(**changes).flows(U, P, A, B, TANK)
    parts = [getattr(at, name) for at in (at_a, at_b) for name in NAMES]
    f = ca.Function("flows", [U, P, A, B], [ca.vertcat(*parts)])

    def evaluate(*values):
        numbers = np.asarray(f(*values))[:, 0]
        return dict(zip(NAMES, numbers[:4], strict=True)), dict(
            zip(NAMES, numbers[4:], strict=True)
        )

    return evaluate


NAMES = ("supply", "drain", "relief", "makeup")
FLOWS = flows()


@pytest.mark.parametrize("command", [0.0, DEADBAND, -DEADBAND, DEADBAND / 2])
def test_within_the_deadband_nothing_flows(command):
    for at in FLOWS(command, 20e6, 5e6, 8e6):
        assert set(at.values()) == {0.0}


def test_opening_is_linear_beyond_the_deadband_and_ends_at_one():
    plus, minus = valve().openings(U)
    opening = ca.Function("opening", [U], [plus, minus])
    for command in np.linspace(-2, 2, 41):
        expected = np.clip((abs(command) - DEADBAND) / (1 - DEADBAND), 0, 1)
        both = [float(x) for x in opening(command)]
        np.testing.assert_allclose(
            both, [expected, 0] if command > 0 else [0, expected], atol=1e-15
        )


def test_mirrored_commands_and_ports_mirror_the_flows():
    same = valve().drain_b
    mirrored = flows(drain_a=same)
    for command in (0.3, -0.8):
        a, b = mirrored(command, 20e6, 5e6, 27e6)
        swapped_a, swapped_b = mirrored(-command, 20e6, 27e6, 5e6)
        assert (a, b) == (swapped_b, swapped_a)


def test_load_check_keeps_the_load_from_flowing_into_the_pump():
    at_a, at_b = FLOWS(1.0, 10e6, 15e6, 2e6)
    assert at_a["supply"] == 0 and at_b["supply"] == 0
    assert at_b["drain"] > 0


def test_a_dry_port_draws_from_the_tank_and_a_forced_one_opens():
    at_a, at_b = FLOWS(0.0, 10e6, -5e4, 28e6)
    assert at_a["makeup"] > 0 and at_a["relief"] == 0
    assert at_b["relief"] > 0 and at_b["makeup"] == 0

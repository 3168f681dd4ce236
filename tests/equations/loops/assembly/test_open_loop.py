"""No door leads to a machine with open loops: each says how far they are open."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from equations.loops.perturbed import too_short, with_frame_moved
from phalanx.distribute.programs.platforms.machine import DividedMachine
from phalanx.equations import forward_dynamics, inverse_dynamics, loops
from phalanx.mechanism.read import ModelWarning
from phalanx.view.viewer.closed_loop_posing import ClosedLoopPosing

BY = 0.05  # [m]
SHORT = too_short(BY)
STILL = np.zeros(3)

DOORS = {
    "assemble": lambda: px.assemble(SHORT),
    "assemble from a guess": lambda: px.assemble(SHORT, [0.1, 0.2, 0.3], held=["crank"]),
    "Dynamics": lambda: px.Dynamics(SHORT),
    "Dynamics with a method": lambda: px.Dynamics(SHORT, forward=forward_dynamics.factorized),
    "forward_dynamics": lambda: px.Dynamics(SHORT).forward_dynamics(STILL, STILL, STILL),
    "multipliers": lambda: px.expression(loops.multipliers, SHORT),
    "projection": lambda: px.expression(loops.projection, SHORT),
    "penalty": lambda: px.expression(loops.penalty, SHORT),
    "recursive": lambda: px.expression(loops.recursive, SHORT),
    "inverse dynamics": lambda: px.expression(inverse_dynamics.recursive, SHORT),
    "tree": lambda: px.expression(forward_dynamics.articulated_body, SHORT),
    "simulate": lambda: px.simulate(SHORT, duration=0.01),
    "rollout": lambda: px.rollout(SHORT, STILL, STILL, steps=3),
    "LiveRun": lambda: px.LiveRun(SHORT, duration=0.01),
    "distribute": lambda: DividedMachine(SHORT),
    "viewer": lambda: ClosedLoopPosing(SHORT).home,
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_refuses_bars_that_are_too_short(door):
    with pytest.raises(px.OpenLoop, match="'too_short' do not close") as caught:
        DOORS[door]()
    assert caught.value.residual == pytest.approx(BY, abs=1e-6)
    assert caught.value.loops == {"pin": caught.value.residual}


@pytest.mark.parametrize("miss", [1e-11, 1e-8, 1e-6])
def test_a_run_of_a_pressed_in_pin_is_that_of_the_exact_machine(miss):
    """The open tree would part at the pin by more than a metre."""
    exact = px.library.four_bar()
    # a name of its own: equal machines share what was found out about the first of them
    moved = with_frame_moved(exact, [0.0, miss, 0.0])
    machine = replace(moved, name=f"pressed in by {miss}")
    with pytest.warns(ModelWarning, match=f"moved by {miss:.2g} m"):
        run = px.simulate(machine, duration=0.3)
    wanted = px.simulate(exact, duration=0.3)
    assert np.abs(run["q"][-1]).max() > 0.1  # it has moved
    np.testing.assert_allclose(run["q"], wanted["q"], rtol=0, atol=1e-9 + miss)
    many = px.rollout(machine, np.zeros((2, 3)), np.zeros((2, 3)), steps=300)
    for q in many.q[..., -1, :]:
        np.testing.assert_allclose(q, wanted["q"][-1], rtol=0, atol=1e-9 + miss)
    d = px.Dynamics(machine)
    ends = [
        d.forward_kinematics(run["q"], frame=frame)[:, :3, 3]
        for frame in ("coupler_end", "rocker_end")
    ]
    apart = np.linalg.norm(ends[0] - ends[1], axis=1)
    np.testing.assert_allclose(apart, miss, rtol=1e-3, atol=1e-14)

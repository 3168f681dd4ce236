"""One description of a run, taken wherever a mechanism and keywords are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.realtime.live import LiveRun

ARM = px.library.double_pendulum()
TIP = ARM.bodies[-1].name
LAW = px.proportional_derivative([0.5, -0.5], stiffness=20.0, damping=2.0)
SETUP = px.Setup(ARM, forces=(px.Damping(), px.Stops()), control=LAW, wrenches=(TIP,))
KEYWORDS = {"forces": (px.Damping(), px.Stops()), "control": LAW}
PUSH = {TIP: [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}
Q0, V0 = np.array([0.1, 0.2]), np.zeros(2)
MASS = f"{TIP}.mass"


def same(a, b):
    assert a.channels == b.channels
    for name in a.signals:
        np.testing.assert_array_equal(a[name], b[name])


def test_a_run_is_that_of_the_keywords():
    run = px.simulate(SETUP, Q0, V0, duration=0.02, wrenches=PUSH)
    same(run, px.simulate(ARM, Q0, V0, duration=0.02, wrenches=PUSH, **KEYWORDS))
    assert run.settings["forces"] == ["Damping()", "Stops(stiffness=None, damping=None)"]
    assert run.settings["control"].startswith("PD control: tau = ")


def test_a_rollout_is_that_of_the_keywords():
    a = px.rollout(SETUP, Q0[None], V0, steps=20, wrenches=PUSH)
    b = px.rollout(ARM, Q0[None], V0, steps=20, wrenches=PUSH, **KEYWORDS)
    loop = px.CompiledRollout(SETUP)
    c = loop(Q0[None], V0, steps=20, inputs={f"wrench_{TIP}": PUSH[TIP]})
    np.testing.assert_array_equal(a.q, b.q)
    np.testing.assert_array_equal(a.q, c.q)


def test_a_live_run_is_that_of_the_keywords():
    live = LiveRun(SETUP, Q0, V0, duration=0.01, record=True, wrenches=PUSH, speed=100.0)
    live.run()
    same(live.recording, px.simulate(SETUP, Q0, V0, duration=0.01, wrenches=PUSH))


@pytest.mark.parametrize("keyword", [{"control": LAW}, {"forces": ()}, {"forces": (px.Damping(),)}])
def test_what_a_setup_says_is_not_said_again(keyword):
    (name,) = keyword
    for call in (
        lambda: px.simulate(SETUP, duration=0.01, wrenches=PUSH, **keyword),
        lambda: px.rollout(SETUP, Q0, V0, steps=1, wrenches=PUSH, **keyword),
    ):
        with pytest.raises(px.InvalidInput, match=f"{name}= comes beside a Setup"):
            call()


def test_values_are_for_the_frames_and_numbers_of_the_setup():
    other = ARM.bodies[1].name
    for call in (
        lambda: px.simulate(SETUP, duration=0.01, wrenches=PUSH | {other: PUSH[TIP]}),
        lambda: px.rollout(SETUP, Q0, V0, steps=1, wrenches={other: PUSH[TIP]}),
    ):
        with pytest.raises(px.InvalidInput, match=f"frame '{other}', which the Setup does not"):
            call()
    with pytest.raises(px.InvalidInput, match=r"needs wrenches=\{...\} for the frame"):
        px.simulate(SETUP, duration=0.01)
    with pytest.raises(px.InvalidInput, match=r"number of the machine .* does not have"):
        px.simulate(SETUP, duration=0.01, wrenches=PUSH, parameters={MASS: 1.0})
    with pytest.raises(px.InvalidInput, match="this run needs parameters"):
        px.simulate(px.Setup(ARM, parameters=(MASS,)), duration=0.01)


@pytest.mark.parametrize("steps", [10, 2500])
def test_numbers_of_the_machine_are_a_run_s_own(steps):
    heavy = replace(ARM.bodies[-1], mass=3.0)
    other = replace(ARM, bodies=[*ARM.bodies[:-1], heavy])
    wanted = px.simulate(other, Q0, duration=steps * 1e-3)
    run = px.simulate(ARM, Q0, duration=steps * 1e-3, parameters={MASS: 3.0})
    for name in ("q", "v", "energy"):
        np.testing.assert_allclose(run[name], wanted[name], atol=1e-9, rtol=1e-9)
    weightless = {"gravity": [0.0, 0.0, 0.0]}
    still = px.simulate(ARM, Q0, duration=steps * 1e-3, parameters=weightless)
    assert np.ptp(still["q"], axis=0).max() == 0.0
    with pytest.raises(px.InvalidInput, match=f"parameter '{MASS}' is .*; expected 1 finite"):
        px.simulate(ARM, Q0, duration=0.01, parameters={MASS: [1.0, 2.0]})
    with pytest.raises(px.UnknownName, match="mas"):
        px.simulate(ARM, Q0, duration=0.01, parameters={f"{TIP}.mas": 1.0})


def test_a_setup_is_checked_when_it_is_made():
    with pytest.raises(px.InvalidInput, match="control is a int; expected a function"):
        px.Setup(ARM, control=5)
    with pytest.raises(px.InvalidInput, match=r"wrenches of Setup is 'tool'; .*list of names"):
        px.Setup(ARM, wrenches="tool")
    with pytest.raises(px.InvalidInput, match="mechanism of Setup is 'arm'"):
        px.Setup("arm")
    names = [TIP]
    setup = px.Setup(ARM, wrenches=names)
    names.append("other")
    assert setup.wrenches == (TIP,)

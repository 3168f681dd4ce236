"""A deadband that shifts the spool's curve, and one that is a gate: wherever spools are moved."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.equations.model_of import model_of
from phalanx.kernel import export_c
from phalanx.machines.excavator import (
    Episodes,
    Excavator,
    ExcavatorEnv,
    Fleet,
    LiveExcavator,
    ReachPoint,
    Spool,
    SpoolControl,
    SpoolCurve,
    cylinder_excavator,
    rotary_excavator,
)

DEADBAND, LIMIT = 0.01, 0.3
CURVES = tuple(SpoolCurve)


def spool_of(curve: SpoolCurve) -> Spool:
    return Spool(slope=0.2, deadband=DEADBAND, limit=LIMIT, curve=curve)


def opening(spool: Spool, voltage) -> np.ndarray:
    u = ca.SX.sym("u")
    f = ca.Function("opening", [u], [spool.opening(u)])
    return np.asarray(f(np.atleast_2d(voltage))).ravel()


def test_a_shifted_curve_opens_from_nothing():
    u = np.array([0.05, 0.0500001, 0.5, 1.55, 1.6, 100.0])
    found = opening(spool_of(SpoolCurve.SHIFT), u)
    np.testing.assert_allclose(found, [0, 2e-8, 0.09, 0.3, 0.3, 0.3], atol=1e-15)


def test_a_gate_opens_in_proportion_and_at_once():
    u = np.array([0.0499999, 0.0500001, 0.5, 1.5, 1.55, 100.0])
    found = opening(spool_of(SpoolCurve.GATE), u)
    np.testing.assert_allclose(found, [0, 0.01000002, 0.1, 0.3, 0.3, 0.3], atol=1e-15)


@pytest.mark.parametrize("curve", CURVES)
@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_spool_is_odd_grows_and_ends(curve, u, w):
    x, y, mirrored = opening(spool_of(curve), [u, w, -u])
    assert mirrored == -x and abs(x) <= LIMIT
    assert (x - y) * (u - w) >= 0
    if 0.2 * abs(u) <= DEADBAND:
        assert x == 0
    elif curve is SpoolCurve.GATE:
        assert abs(x) > DEADBAND


def test_without_a_deadband_there_is_one_curve():
    u = np.linspace(-3, 3, 41)
    shifted, gated = (opening(Spool(slope=0.2, deadband=0.0, curve=c), u) for c in CURVES)
    np.testing.assert_array_equal(shifted, gated)


def test_a_gate_that_closes_is_shut_within_its_deadband():
    """A spool that is let go: no flow on the way where no command gives any."""
    start = np.array([0.25, -0.25, 0.1, 0.0])
    for curve in CURVES:
        x, found = ca.SX.sym("x", 4), start
        closer = ca.Function("closer", [x], [spool_of(curve).closed_by(0.06, x)])
        seen = []
        for _ in range(5):
            found = np.asarray(closer(found)).ravel()
            seen.append(found)
        left = np.maximum(np.abs(start) - 0.06 * np.arange(1, 6)[:, None], 0)
        if curve is SpoolCurve.GATE:
            left[left <= DEADBAND] = 0
        np.testing.assert_allclose(seen, np.sign(start) * left, atol=1e-15)
    assert 0 < 0.25 - 4 * 0.06 <= DEADBAND + 1e-15  # the two do differ


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"curve": "gate"}, "curve of Spool is 'gate'; expected a SpoolCurve"),
        ({"deadband": 0.05}, "deadband of Spool is 0.05 and its limit 0.05; a gate"),
    ],
)
def test_curves_that_there_are_not(options, message):
    with pytest.raises(InvalidInput, match=message):
        Spool(**({"curve": SpoolCurve.GATE} | options))


# -- wherever spools are moved -------------------------------------------------------------------


def machine(curve: SpoolCurve, **options) -> Excavator:
    return rotary_excavator(spool=Spool(curve=curve), **options)


def by_hand(run: px.Recording, curve: SpoolCurve) -> np.ndarray:
    """Openings that the recorded voltages give."""
    wanted = 0.05 * np.abs(run["voltage"])
    beyond = wanted - 0.005 if curve is SpoolCurve.SHIFT else np.where(wanted > 0.005, wanted, 0)
    return np.sign(run["voltage"]) * np.clip(beyond, 0, 0.05)


STICKS = np.array([0.5, -0.25, 1.0, 0.6])


@pytest.mark.parametrize("curve", CURVES)
def test_simulations_and_live_runs(curve, tmp_path):
    """The loop of a simulation and the one in real time, both native."""
    excavator = machine(curve)
    run = excavator.run(excavator.commands(STICKS, "JOINT"), 1.0)
    np.testing.assert_allclose(run["spool"], by_hand(run, curve), rtol=0, atol=1e-15)
    between = (np.abs(run["spool"]) > 0) & (np.abs(run["spool"]) <= 0.005)
    assert between.any() == (curve is SpoolCurve.SHIFT)
    live = LiveExcavator(excavator, folder=tmp_path)
    live.command(STICKS)
    live.run.advance(1.0)
    found = live.row(live.instant)
    for name in ("q", "v", "spool"):
        np.testing.assert_allclose(found[name], run[name][-1], rtol=1e-9, atol=1e-9)


def test_the_curve_is_a_part_of_what_is_compiled():
    """Machines that differ in the curve alone do not share a compiled loop."""
    runs = [machine(c).run(machine(c).commands(STICKS, "JOINT"), 1.0) for c in CURVES]
    assert np.abs(runs[0]["q"] - runs[1]["q"]).max() > 1e-3


@pytest.mark.parametrize("curve", CURVES)
def test_fleets(curve):
    excavator = machine(curve, step=2e-3)
    table = np.stack([STICKS, -STICKS])
    fleet = Fleet(excavator, [0.0], table[None], hold=0.25).run(0.5)
    commands = excavator.commands(table, "JOINT")
    alone = excavator.run(px.Profile([0.0, 0.25], commands), 0.5)
    # a massless payload is another machine to the compiler: equal but for rounding
    np.testing.assert_allclose(fleet.final_q[0], alone["q"][-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("curve", CURVES)
def test_environments_for_learning(curve):
    excavator = machine(curve, step=5e-3)
    episodes = Episodes(ReachPoint(), 1, excavator=excavator, period=0.1)
    episodes.begin(np.ones(1, bool), np.random.default_rng(5))
    q0 = episodes.q[0].copy()
    for _ in range(3):
        episodes.step(STICKS[None])
    commands = excavator.commands(STICKS, "JOINT")
    run = excavator.run(commands, 0.3, q0=q0)
    np.testing.assert_allclose(episodes.q[0], run["q"][-1], rtol=0, atol=1e-12)
    environment = ExcavatorEnv(excavator=excavator)
    environment.reset(seed=1)
    seen, *_ = environment.step(STICKS.astype(np.float32))
    assert np.isfinite(seen).all()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("curve", CURVES)
def test_exported_code(curve, tmp_path):
    """A look of the controller at the machine, as C."""
    control = SpoolControl(spool=Spool(curve=curve), closing=0.2)
    mechanism = px.library.cat215b()
    names = ("t", "q", "s", "operator", "mode")
    sizes = (1, 4, control.initial(mechanism, np.zeros(4)).size, 4, 1)
    t, q, s, operator, mode = given = [
        ca.SX.sym(name, size) for name, size in zip(names, sizes, strict=True)
    ]
    told = {"operator": operator, "mode": mode}
    after = control.sampled(model_of(mechanism), t, q, ca.SX(4, 1), s, told)
    look = ca.Function("look", given, [after], names, ["after"])
    source, library = export_c(look, tmp_path / "look.c"), tmp_path / "look.so"
    flags = ["-std=c99", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    compiled = ctypes.CDLL(str(library)).look
    rng = np.random.default_rng(3)
    opened = set()
    for _ in range(50):
        memory = rng.uniform(-0.1, 0.1, sizes[2])
        memory[-1] = 0.0
        commands = 0.1 * rng.integers(-1, 2, 4)  # some sticks are let go
        inputs = [np.zeros(1), memory[:4] + rng.uniform(-0.05, 0.05, 4), memory, commands]
        inputs.append(np.zeros(1))
        found = np.empty(sizes[2])
        arrays = (*inputs, found)
        compiled(*(array.ctypes.data_as(ctypes.c_void_p) for array in arrays))
        wanted = np.asarray(look(*inputs)).ravel()
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-15)
        opened |= set((np.abs(found[16:20]) > 0.005).tolist())
        if curve is SpoolCurve.GATE:
            assert not ((np.abs(found[16:20]) > 0) & (np.abs(found[16:20]) <= 0.005)).any()
    assert opened == {True, False}


def test_cylinders_take_a_curve_where_their_control_has_a_deadband():
    """Their valves have an overlap of their own, which is the shifted curve of a real spool."""
    own = cylinder_excavator().control.spool
    assert own.deadband == 0.0
    gated = cylinder_excavator(spool=replace(own, deadband=0.05, curve=SpoolCurve.GATE))
    run = gated.run([0.1, 0.0, 0.05, 0.0], 0.5)
    size = np.abs(run["spool"])
    assert size.any() and not ((size > 0) & (size <= 0.05)).any()

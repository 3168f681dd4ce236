"""Spool control, one look at the machine at a time, against its formulas."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import phalanx as px
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.model_of import model_of
from phalanx.machines.excavator import ExcavatorArm, Spool, SpoolControl, SpoolCurve
from phalanx.simulation.run.plant import Plant

MACHINE = px.library.cat215b()
MODEL = model_of(MACHINE)
Q0 = np.array([0.1, 0.5, -1.2, -0.4])
OPERATOR = np.array([0.1, -0.05, 0.2, 0.3])


def look(control: SpoolControl, t: float, q, s, operator=OPERATOR, mode: float = 0.0) -> dict:
    """What it remembers after a look, by name."""
    told = {"operator": SX(ca.DM(operator)), "mode": SX(mode)}
    memory = control.sampled(MODEL, SX(t), SX(ca.DM(q)), SX.zeros(4), SX(ca.DM(s)), told)
    numbers = np.asarray(ca.evalf(memory)).ravel()
    names = [quantity.name for quantity in control.quantities(MACHINE)]
    parts = np.split(numbers, [4, 8, 12, 16, 20])
    return dict(zip(names, parts, strict=True)) | {"s": numbers}


def begin(control: SpoolControl, q=Q0) -> np.ndarray:
    return control.initial(MACHINE, np.asarray(q))


def opening(spool: Spool, voltage) -> np.ndarray:
    u = SX.sym("u")
    f = ca.Function("opening", [u], [spool.opening(u)])
    return np.asarray(f(np.atleast_2d(voltage))).ravel()


# -- a look at the machine ------------------------------------------------------------------------


def test_at_first_it_wants_what_it_sees():
    control = SpoolControl()
    qs = np.random.default_rng(0).uniform(-1, 1, (3, 4))
    s = control.initial(MACHINE, qs)
    np.testing.assert_array_equal(s[:, :8], np.concatenate([qs, qs], axis=1))
    assert s.shape == (3, 21) and not s[:, 8:].any()


def test_the_law_of_the_source():
    """u = k_v (rate wanted - difference of angles / h) + k_p (desired - angle)."""
    control = SpoolControl()
    first = look(control, 0.0, Q0, begin(control))
    np.testing.assert_allclose(first["voltage"], np.array([1, 2, 1, 1]) * OPERATOR)
    np.testing.assert_allclose(first["desired"], Q0 + 0.01 * OPERATOR)
    moved = Q0 + np.array([1e-3, -2e-3, 0.0, 5e-4])
    second = look(control, 0.01, moved, first["s"])
    rate, error = (moved - Q0) / 0.01, first["desired"] - moved
    wanted = np.array([1, 2, 1, 1]) * (OPERATOR - rate) + np.array([2, 3, 2, 2]) * error
    np.testing.assert_allclose(second["voltage"], wanted, rtol=1e-12)
    np.testing.assert_allclose(second["spool"], opening(control.spool, wanted), rtol=1e-12)
    np.testing.assert_array_equal(second["seen"], moved)
    np.testing.assert_allclose(second["error_sum"], 0.01 * error, atol=1e-17)
    np.testing.assert_array_equal(
        np.asarray(ca.evalf(control.command(SX(ca.DM(second["s"]))))).ravel(), second["spool"]
    )


def test_between_samples_nothing_changes():
    control = SpoolControl()
    s = look(control, 0.0, Q0, begin(control))["s"]
    for t in (0.001, 0.005, 0.00999):
        np.testing.assert_array_equal(look(control, t, Q0 + 0.1, s, 2 * OPERATOR)["s"], s)
    # k · h may be a rounding error short of the sample
    on_time = look(control, np.nextafter(0.01, 0), Q0 + 0.1, s)
    assert (on_time["s"] != s).any() and on_time["next_sample"] == pytest.approx(0.02)


def test_samples_are_counted_and_do_not_drift():
    """At steps of 1 ms, every tenth has a look at the machine."""
    control = SpoolControl()
    run = px.simulate(
        MACHINE,
        Q0,
        duration=1.5,
        step=1e-3,
        control=control,
        actuation=px.actuators.hydraulics.cat215b_rotary(charged=True),
        inputs={"operator": OPERATOR},
    )
    changes = np.flatnonzero(np.diff(run["desired"][:, 0])) + 1
    np.testing.assert_array_equal(changes, np.arange(10, 1501, 10))
    np.testing.assert_allclose(run["desired"][-1], Q0 + OPERATOR * 1.51, rtol=1e-12)


def test_integral_feedforward_and_direction():
    control = SpoolControl(
        proportional=(0,) * 4,
        derivative=(0,) * 4,
        integral=(1, 2, 3, 4),
        feedforward=(0.5, 0, 0, 2),
        direction=(1, -1, 1, -1),
    )
    s = begin(control)
    s[8:12] = [0.1, 0.2, -0.1, 0.3]
    found = look(control, 0.0, Q0, s)["voltage"]
    wanted = np.array([1, 2, 3, 4]) * s[8:12] + np.array([0.5, 0, 0, 2]) * OPERATOR
    np.testing.assert_allclose(found, np.array([1, -1, 1, -1]) * wanted)


def test_the_true_model_has_the_weight_of_each_run():
    """Control carries the nominal bucket, or the one of the run where it is told to."""
    heavier = next(body for body in MACHINE.bodies if body.name == "bucket").mass * 2
    weight = np.array([0.0, 1e-6, 2e-6, 3e-6])
    control = SpoolControl(weight=tuple(weight))
    true = px.Dynamics(MACHINE, parameters=["bucket.mass"]).gravity(Q0, heavier)
    for chosen, carried in (
        (control, px.Dynamics(MACHINE).gravity(Q0)),
        (px.with_true_model(control), true),
    ):
        plant = Plant(px.Setup(MACHINE, control=chosen, parameters=("bucket.mass",)))
        q, symbol = SX(ca.DM(Q0)), plant.model.parameters.symbols["bucket.mass"]
        found = control._weights(plant.model_of_law(chosen), q)
        value = ca.Function("w", [symbol], [found])(heavier)
        np.testing.assert_allclose(np.asarray(value).ravel(), carried, rtol=1e-12)


def test_compensation_is_the_weight_at_the_angles_seen():
    weight = np.array([0.0, 1e-6, 2e-6, 3e-6])
    control = SpoolControl(weight=tuple(weight))
    found = look(control, 0.0, Q0, begin(control), np.zeros(4))["voltage"]
    np.testing.assert_allclose(found, weight * px.Dynamics(MACHINE).gravity(Q0), rtol=1e-12)
    loops = px.library.cat215b_cylinders()
    with pytest.raises(InvalidInput, match="without loops"):
        control._weights(model_of(loops), SX.sym("q", loops.nq))


def test_the_mode_is_an_input():
    control = SpoolControl()
    s, rates = begin(control), SX.sym("rates", 4)
    tip = ca.Function("f", [rates], [ExcavatorArm.of(MACHINE).rates(SX(ca.DM(Q0)), rates)])
    resolved = look(control, 0.0, Q0, s, mode=1.0)["desired"]
    np.testing.assert_allclose(resolved, Q0 + 0.01 * np.asarray(tip(OPERATOR)).ravel())
    assert SpoolControl(mode="RESOLVED").defaults["mode"] == [1.0]
    assert SpoolControl().defaults["mode"] == [0.0]


# -- sticks that are let go -----------------------------------------------------------------------


def test_a_spool_that_is_let_go_closes_in_its_time():
    """From wide open to the middle in ``closing``, evenly, whatever the loop would do."""
    control = SpoolControl(closing=0.1, spool=Spool(curve=SpoolCurve.SHIFT))  # ten samples
    s = begin(control)
    s[12:16], s[16:20] = 1.0, [0.05, -0.05, 0.02, 0.0]
    for k in range(1, 12):
        found = look(control, 0.01 * (k - 1), Q0 + 0.1, s, np.zeros(4))
        s = found["s"]
        left = np.maximum(np.array([0.05, 0.05, 0.02, 0.0]) - 0.005 * k, 0)
        np.testing.assert_allclose(found["spool"], [1, -1, 1, 1] * left, atol=1e-15)
        assert not found["voltage"].any() and not found["error_sum"].any()
    # what was asked for last is kept
    np.testing.assert_array_equal(found["desired"], Q0)


def test_a_command_begins_where_the_joint_is():
    control, lasting = SpoolControl(closing=0.1), SpoolControl()
    moved = Q0 + np.array([0.02, -0.03, 0.01, 0.04])
    let_go = look(control, 0.0, moved, begin(control), np.zeros(4))["s"]
    again = look(control, 0.01, moved, let_go)
    np.testing.assert_allclose(again["desired"], moved + 0.01 * OPERATOR, rtol=1e-12)
    np.testing.assert_allclose(again["voltage"], np.array([1, 2, 1, 1]) * OPERATOR, rtol=1e-12)
    # from then on it is the law as ever
    s = again["s"]
    np.testing.assert_array_equal(
        look(control, 0.02, moved + 1e-3, s)["s"], look(lasting, 0.02, moved + 1e-3, s)["s"]
    )


@pytest.mark.parametrize(
    ("mode", "operator", "shut"),
    [
        (0.0, [0.1, 0, 0, 0], [False, True, True, True]),
        (0.0, [0, 0, 0.1, -0.1], [True, True, False, False]),
        (1.0, [0.1, 0, 0, 0], [True, False, False, False]),
        (1.0, [0, 0.1, 0, 0], [False, True, True, True]),
        (1.0, [0, 0, -0.1, 0], [True, False, False, False]),
        (1.0, [0, 0, 0, 0.1], [True, True, True, False]),
        (1.0, [0, 0, 0, 0], [True] * 4),
    ],
)
def test_joints_are_let_go_by_what_is_asked_for(mode, operator, shut):
    control = SpoolControl(closing=0.1)
    found = look(control, 0.0, Q0, begin(control), np.array(operator, float), mode)
    np.testing.assert_array_equal(found["voltage"] == 0, shut)


def test_desired_angles_do_not_run_away():
    free, led = SpoolControl(), SpoolControl(lead=0.05)
    s = begin(free)
    s[:4] = Q0 + np.array([0.0495, -0.0499, 0.3, 0.0])
    assert (look(led, 0.0, Q0, s)["desired"] <= Q0 + 0.05).all()
    assert (look(led, 0.0, Q0, s)["desired"] >= Q0 - 0.05).all()
    np.testing.assert_allclose(look(free, 0.0, Q0, s)["desired"], s[:4] + 0.01 * OPERATOR)


def test_desired_angles_stay_within_the_joints():
    machine = px.library.cat215b_cylinders()
    control = SpoolControl(keep_limits=True)
    upper = np.array([machine.joint(f"{n}_hinge").upper[0] for n in ("boom", "stick", "bucket")])
    q = machine.neutral()
    s = control.initial(machine, q)
    s[1:4] = upper
    told = {"operator": SX(ca.DM([1.0] * 4)), "mode": SX(0)}
    after = control.sampled(
        model_of(machine), SX(0), SX(ca.DM(q)), SX.zeros(machine.nv), SX(ca.DM(s)), told
    )
    desired = np.asarray(ca.evalf(after)).ravel()[:4]
    np.testing.assert_array_equal(desired[1:], upper)
    assert desired[0] == pytest.approx(0.01)  # a swing goes round and round


def test_machines_without_such_joints():
    with pytest.raises(UnknownName, match="cab_hinge"):
        SpoolControl().quantities(px.library.puma560())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"period": 0.0}, "period"),
        ({"lead": 0.0}, "lead"),
        ({"closing": 0.0}, "closing"),
        ({"closing": np.nan}, "closing"),
        ({"lead": np.nan}, "lead"),
        ({"mode": "joint"}, "JOINT, RESOLVED"),
        ({"proportional": (1.0, 2.0, 3.0)}, "proportional.*four"),
        ({"integral": (0, 0, 0, -1.0)}, "integral.*not negative"),
        ({"weight": (0, np.nan, 0, 0)}, "weight.*finite"),
        ({"direction": (1, 1, 1, 0)}, "direction"),
        ({"direction": (1, 1, 1)}, "direction"),
    ],
)
def test_options_that_make_no_control(options, message):
    with pytest.raises(InvalidInput, match=message):
        SpoolControl(**options)


@pytest.mark.parametrize("options", [{"slope": 0}, {"limit": -1}, {"deadband": np.nan}])
def test_numbers_that_no_spool_has(options):
    with pytest.raises(InvalidInput, match=next(iter(options))):
        Spool(**options)

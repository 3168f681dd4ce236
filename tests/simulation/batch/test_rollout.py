"""Many runs in one loop are the same runs one by one."""

from __future__ import annotations

import re
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import phalanx as px
from phalanx.mechanism import Body, Joint, Mechanism, Mimic, Prismatic, Revolute

ARM = px.library.puma560_arm()
RUNS, STEPS = 9, 20
# twenty steps of 1 ms: rounding does not grow in them
SAME = 1e-12


def starts(machine: Mechanism = ARM, runs: int | tuple[int, ...] = RUNS, seed: int = 0):
    rng = np.random.default_rng(seed)
    batch = (runs,) if isinstance(runs, int) else runs
    q = machine.random_positions(int(np.prod(batch)), rng).reshape(*batch, machine.nq)
    return q, rng.standard_normal((*batch, machine.nv))


def torques(runs: int = RUNS, steps: int = STEPS, n: int = 3) -> np.ndarray:
    return 5 * np.random.default_rng(1).standard_normal((runs, steps, n))


def one_by_one(machine, q, v, **options) -> tuple[np.ndarray, ...]:
    """Positions, velocities and torques of separate runs, without the first state."""
    rows = []
    per_run = options.pop("per_run", lambda i: {})
    for i in range(len(q)):
        rows.append(
            px.simulate(
                machine(i) if callable(machine) else machine,
                q[i],
                v[i],
                duration=STEPS * 1e-3,
                **options | per_run(i),
            )
        )
    return tuple(np.stack([r[name][1:] for r in rows]) for name in ("q", "v", "tau"))


def assert_close(actual, wanted, tolerance=SAME):
    assert actual.shape == wanted.shape
    assert np.abs(actual - wanted).max() < tolerance * (1 + np.abs(wanted).max())


@pytest.fixture(scope="module")
def free() -> px.CompiledRollout:
    """The arm with torques, compiled once."""
    return px.CompiledRollout(ARM, record=("q", "v", "tau"), threads=1)


@pytest.fixture(scope="module")
def separate():
    """The runs of ``starts`` under ``torques``, one by one."""
    (q, v), tau = starts(), torques()
    times = 1e-3 * np.arange(STEPS)
    return one_by_one(ARM, q, v, per_run=lambda i: {"control": px.Profile(times, tau[i])})


def test_torques_of_each_run(free, separate):
    (q0, v0), tau = starts(), torques()
    result = free(q0, v0, steps=STEPS, tau=tau)
    q, v, _ = separate
    assert_close(result.q, q)
    assert_close(result.v, v)
    assert np.array_equal(result.tau, tau)  # those of the step before each record
    assert np.array_equal(result.final_q, result.q[:, -1])
    assert np.array_equal(result.final_v, result.v[:, -1])
    assert result.cost is None
    assert np.allclose(result.time, 1e-3 * np.arange(1, STEPS + 1), rtol=0, atol=1e-15)


def test_in_one_call(free):
    (q0, v0), tau = starts(), torques()
    a = free(q0, v0, steps=STEPS, tau=tau)
    b = px.rollout(ARM, q0, v0, steps=STEPS, tau=tau)
    assert np.array_equal(a.q, b.q) and np.array_equal(a.final_v, b.final_v) and b.tau is None


def test_torques_of_all_runs_held_and_none(free):
    (q0, v0), tau = starts(), torques()
    shared = free(q0, v0, steps=STEPS, tau=tau[0])
    each = free(q0, v0, steps=STEPS, tau=np.repeat(tau[:1], RUNS, axis=0))
    assert np.array_equal(shared.q, each.q) and shared.tau.shape == (RUNS, STEPS, 3)
    held = free(q0, v0, steps=STEPS, tau=tau[0, 0])
    tiled = free(q0, v0, steps=STEPS, tau=np.tile(tau[0, 0], (RUNS, STEPS, 1)))
    assert np.array_equal(held.q, tiled.q)
    none, zero = free(q0, v0, steps=STEPS), free(q0, v0, steps=STEPS, tau=np.zeros(3))
    assert np.array_equal(none.q, zero.q) and not none.tau.any()
    assert np.abs(none.q - held.q).max() > 1e-6


def test_torques_in_any_memory_layout(free):
    (q0, v0), tau = starts(), torques()
    wanted = free(q0, v0, steps=STEPS, tau=tau)
    time_first = np.ascontiguousarray(tau.transpose(1, 0, 2)).transpose(1, 0, 2)
    for stream in (time_first, np.asfortranarray(tau), tau.tolist(), np.repeat(tau, 2, 1)[:, ::2]):
        assert np.array_equal(free(q0, v0, steps=STEPS, tau=stream).q, wanted.q)


@pytest.mark.parametrize(
    "integrator", [px.SemiImplicitEuler(), px.RungeKuttaGill()], ids=lambda i: type(i).__name__
)
def test_other_integrators(integrator):
    q0, v0 = starts(runs=3)
    result = px.rollout(ARM, q0, v0, steps=STEPS, integrator=integrator)
    q, v, _ = one_by_one(ARM, q0, v0, integrator=integrator)
    assert_close(result.q, q)
    assert_close(result.v, v)


def gained(model, t, q, v, target, gain, width):
    return gain * (target - q) - width * v * (1 + 0.1 * ca.sin(30 * t))


FEEDBACK = px.Law(gained, {"target": "q", "gain": "v", "width": 1})


def test_feedback_with_targets_and_gains_of_each_run():
    (q0, v0), rng = starts(), np.random.default_rng(2)
    inputs = {
        "target": rng.standard_normal((RUNS, 3)),
        "gain": rng.uniform(10, 50, (RUNS, 3)),
        "width": rng.uniform(1, 5, (RUNS, 1)),
    }
    loop = px.CompiledRollout(px.Setup(ARM, control=FEEDBACK), record=("q", "tau"))
    result = loop(q0, v0, steps=STEPS, inputs=inputs)
    q, _, tau = one_by_one(
        ARM,
        q0,
        v0,
        control=FEEDBACK,
        per_run=lambda i: {"inputs": {name: x[i] for name, x in inputs.items()}},
    )
    assert_close(result.q, q)
    assert result.v is None
    # torques of the step before: simulate records those of the states after it
    assert_close(result.tau[:, 1:], tau[:, :-1])
    # the same for all, and later in time
    one = {name: x[0] for name, x in inputs.items()}
    assert_close(loop(q0[0], v0[0], steps=STEPS, inputs=one).q, q[0])
    whole = loop(q0[0], v0[0], steps=STEPS, inputs=one)
    half = loop(q0[0], v0[0], steps=STEPS // 2, inputs=one)
    rest = loop(half.final_q, half.final_v, steps=STEPS // 2, inputs=one, start=STEPS / 2 * 1e-3)
    assert_close(rest.final_q, whole.final_q)
    assert rest.time[-1] == pytest.approx(whole.time[-1])


def test_casadi_functions_control():
    t, q, v = SX.sym("t"), SX.sym("q", 3), SX.sym("v", 3)
    f = ca.Function("f", [t, q, v], [-30 * q - 3 * v])
    law = px.proportional_derivative(np.zeros(3), stiffness=30, damping=3)
    q0, v0 = starts()
    a, b = (px.rollout(ARM, q0, v0, steps=STEPS, control=c) for c in (f, law))
    assert_close(a.q, b.q)


def heavier(masses: np.ndarray) -> Mechanism:
    """The arm whose second and third link have other masses (not centres, not inertias)."""
    wanted = dict(zip(("link_2", "link_3"), masses, strict=True))
    bodies = [replace(b, mass=wanted.get(b.name, b.mass)) for b in ARM.bodies]
    return replace(ARM, bodies=bodies)


def test_masses_of_each_run_are_separate_machines():
    (q0, v0), rng = starts(runs=3), np.random.default_rng(3)
    masses = rng.uniform(3, 20, (3, 2))
    result = px.rollout(
        ARM,
        q0,
        v0,
        steps=STEPS,
        parameters={"link_2.mass": masses[:, 0], "link_3.mass": masses[:, 1]},
    )
    q, v, _ = one_by_one(lambda i: heavier(masses[i]), q0, v0)
    assert_close(result.q, q)
    assert_close(result.v, v)
    assert np.abs(result.q - one_by_one(ARM, q0, v0)[0]).max() > 1e-6


def test_wrenches_of_each_run():
    q0, v0 = starts(runs=3)
    wrench = np.random.default_rng(4).standard_normal((3, 6))
    result = px.rollout(ARM, q0, v0, steps=STEPS, wrenches={"tool": wrench})
    q, _, _ = one_by_one(ARM, q0, v0, per_run=lambda i: {"wrenches": {"tool": wrench[i]}})
    assert_close(result.q, q)


def test_forces_of_the_joints():
    joints = [replace(j, damping=2.0, friction=1.0, upper=0.2) for j in ARM.joints]
    machine = replace(ARM, joints=joints)
    forces = (px.Damping(), px.Friction(slip=0.1), px.Stops(500.0, 5.0))
    q0, v0 = starts(runs=3)
    result = px.rollout(machine, q0, v0, steps=STEPS, forces=forces)
    assert_close(result.q, one_by_one(machine, q0, v0, forces=forces)[0])


def test_the_objective_is_the_integral_of_its_rate(free):
    """Against Simpson's rule over the states in between, whose error is of the same order."""

    def effort(q, v, tau):
        return ca.sumsqr(q) + 0.1 * ca.dot(v, v) + 1e-3 * ca.sumsqr(tau)

    q0, v0 = starts()
    tau = np.array([1.0, -2.0, 0.5])
    loop = px.CompiledRollout(ARM, step=2e-3, objective=effort, record=())
    result = loop(q0, v0, steps=STEPS, tau=tau)
    assert result.q is None and result.v is None and result.tau is None
    fine = free(q0, v0, steps=2 * STEPS, tau=tau)
    q = np.concatenate([q0[:, None], fine.q], 1)
    v = np.concatenate([v0[:, None], fine.v], 1)
    rate = (q**2).sum(-1) + 0.1 * (v**2).sum(-1) + 1e-3 * (tau**2).sum()
    weights = np.ones(2 * STEPS + 1)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    wanted = rate @ weights * 1e-3 / 3
    assert result.cost.shape == (RUNS,)
    assert_close(result.cost, wanted, 1e-8)
    # one run has one number
    assert loop(q0[0], v0[0], steps=STEPS, tau=tau).cost == pytest.approx(result.cost[0], rel=1e-14)


def test_records_of_nothing_and_of_some(free):
    (q0, v0), tau = starts(), torques()
    all_rows = free(q0, v0, steps=STEPS, tau=tau)
    nothing = px.rollout(ARM, q0, v0, steps=STEPS, tau=tau, record=())
    assert nothing.q is None and nothing.v is None and nothing.tau is None
    assert np.array_equal(nothing.final_q, all_rows.final_q)
    for every in (1, 3, 7, 20, 21):
        some = free(q0, v0, steps=STEPS, tau=tau, every=every)
        rows = np.arange(every, STEPS + 1, every) - 1
        assert np.array_equal(some.q, all_rows.q[:, rows])
        assert np.array_equal(some.tau, tau[:, rows])
        assert np.allclose(some.time, all_rows.time[rows], rtol=0, atol=1e-15)
        assert np.array_equal(some.final_q, all_rows.final_q)  # also when the last is not recorded


def test_single_precision(free):
    (q0, v0), tau = starts(), torques()
    exact = free(q0, v0, steps=STEPS, tau=tau)
    result = px.rollout(ARM, q0, v0, steps=STEPS, tau=tau, dtype="float32")
    assert result.q.dtype == result.final_v.dtype == np.float32
    # 6e-8 of the largest number (accelerations of 100 times 1 ms) in each of 20 steps
    assert_close(result.q, exact.q, 1e-6)
    assert_close(result.v, exact.v, 1e-5)


def test_threads_change_no_bit(monkeypatch):
    monkeypatch.setattr("phalanx.kernel.call.threads._WORK_WORTH_A_THREAD", 1000)
    q0, v0 = starts(runs=100)
    one, two = (px.rollout(ARM, q0, v0, steps=STEPS, threads=n) for n in (1, 2))
    assert one.q.tobytes() == two.q.tobytes() and one.final_v.tobytes() == two.final_v.tobytes()


def test_leading_axes(free):
    q0, v0 = starts(runs=(5, 7))
    tau = torques(5)[:, None]
    result = free(q0, v0, steps=STEPS, tau=tau)
    assert result.q.shape == (5, 7, STEPS, 3) and result.final_v.shape == (5, 7, 3)
    flat = free(
        q0.reshape(35, 3), v0.reshape(35, 3), steps=STEPS, tau=np.repeat(tau[:, 0], 7, axis=0)
    )
    assert np.array_equal(result.q.reshape(35, STEPS, 3), flat.q)
    one = free(q0[2, 3], v0[2, 3], steps=STEPS, tau=tau[2, 0])
    assert one.q.shape == (STEPS, 3) and np.array_equal(one.q, result.q[2, 3])
    from_one_start = free(q0[0, 0], v0[0, 0], steps=STEPS, tau=torques())
    assert from_one_start.q.shape == (RUNS, STEPS, 3)
    nobody = free(q0[:0], v0[:0], steps=STEPS)
    assert nobody.q.shape == (0, 7, STEPS, 3) and nobody.final_q.shape == (0, 7, 3)


def test_a_run_that_fails_touches_no_other(free):
    (q0, v0), tau = starts(), torques()
    good = free(q0, v0, steps=STEPS, tau=tau)
    tau[4, 10] = np.nan
    bad = free(q0, v0, steps=STEPS, tau=tau)
    others = np.delete(np.arange(RUNS), 4)
    assert np.array_equal(bad.q[others], good.q[others])
    assert np.array_equal(bad.q[4, :10], good.q[4, :10]) and np.isnan(bad.q[4, 10:]).all()


def test_mimics():
    a = Joint("a", "ground", "upper", Revolute((0, 1, 0)))
    b = Joint("b", "upper", "lower", Prismatic((1, 0, 0)), mimic=Mimic("a", 0.3, 0.1))
    inertia = np.diag([0.1, 0.2, 0.15])
    bodies = [Body("ground"), *(Body(n, 1.0, (0.1, 0, -0.3), inertia) for n in ("upper", "lower"))]
    machine = Mechanism("geared", bodies, [a, b])
    q0, v0 = starts(machine, 3)
    result = px.rollout(machine, q0, v0, steps=STEPS)
    assert result.q.shape == (3, STEPS, 1)
    assert_close(result.q, one_by_one(machine, q0, v0)[0])


def test_a_floating_base():
    inertia = np.diag([0.1, 0.2, 0.15])
    bodies = [Body(name, 1.0, (0.1, 0, -0.3), inertia) for name in ("upper", "lower")]
    pair = Mechanism("pair", bodies, [Joint("hinge", "upper", "lower", Revolute((0, 1, 0)))])
    machine = px.with_floating_base(pair)
    q0, v0 = starts(machine, 3)
    tau = np.random.default_rng(5).standard_normal((3, STEPS, 7))
    result = px.rollout(machine, q0, v0, steps=STEPS, tau=tau)
    times = 1e-3 * np.arange(STEPS)
    q, v, _ = one_by_one(machine, q0, v0, per_run=lambda i: {"control": px.Profile(times, tau[i])})
    assert result.q.shape == (3, STEPS, 8) and result.v.shape == (3, STEPS, 7)
    assert_close(result.q, q)
    assert_close(result.v, v)
    assert np.abs(np.linalg.norm(result.q[..., 3:7], axis=-1) - 1).max() < 1e-14


def test_memory_is_refused_before_it_is_taken(free, monkeypatch):
    q0, v0 = starts()
    many = np.broadcast_to(q0[0], (10**7, 3))
    monkeypatch.setattr(free, "kernel", _Refusing(free.kernel))
    with pytest.raises(px.InvalidInput, match=r"10000000 runs of 1000 states takes 720\.0 GB"):
        free(many, v0[0], steps=1000)
    with pytest.raises(px.InvalidInput, match="memory_limit=1e-06 GB"):
        free(q0, v0, steps=STEPS, memory_limit=1e3)
    many_torques = np.broadcast_to(np.zeros(3), (10**6, 2000, 3))
    with pytest.raises(px.InvalidInput, match="1000000 runs of 2000"):
        free(q0[0], v0[0], steps=2000, tau=many_torques)


class _Refusing:
    """A kernel that must not be called."""

    def __init__(self, kernel) -> None:
        self.inputs = kernel.inputs

    def __call__(self, *args, **options):
        raise AssertionError("allocated")


def test_runs_that_differ_in_a_mass_alone_count_too():
    loop = px.CompiledRollout(px.Setup(ARM, parameters=["link_2.mass"]))
    q0, v0 = starts()
    with pytest.raises(px.InvalidInput, match="10000000 runs"):
        loop(
            q0[0],
            v0[0],
            steps=1000,
            inputs={"link_2.mass": np.broadcast_to(np.array(5.0), (10**7,))},
        )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"integrator": px.DormandPrince()}, px.InvalidInput, "DormandPrince chooses its own"),
        ({"integrator": px.Cvodes()}, px.InvalidInput, "Cvodes chooses its own"),
        ({"control": lambda t, q, v: 0 * q}, px.InvalidInput, "compiles its control"),
        ({"control": px.Profile([0.0], [[1, 2, 3]])}, px.InvalidInput, "compiles its control"),
        ({"control": px.Law(lambda m, t, q, v: v[:1])}, px.InvalidInput, "3 numbers"),
        ({"step": 0}, px.InvalidInput, "positive time"),
        ({"step": np.inf}, px.InvalidInput, "positive time"),
        ({"record": ("q", "a")}, px.UnknownName, "record 'a'"),
        ({"record": ("q", "q")}, px.InvalidInput, "twice"),
        ({"parameters": {"link_9.mass": 1.0}}, px.UnknownName, "link_9"),
        ({"wrenches": {"hand": np.zeros(6)}}, px.UnknownName, "hand"),
        ({"objective": lambda q, v, tau: q}, px.InvalidInput, "one number"),
        ({"dtype": "float16"}, px.InvalidInput, "float64 or float32"),
        ({"threads": 0}, px.InvalidInput, "threads=0"),
        ({"steps": 0}, px.InvalidInput, "steps=0"),
        ({"steps": 2.5}, px.InvalidInput, "steps=2.5"),
        ({"every": 0}, px.InvalidInput, "every=0"),
        ({"inputs": {"target": np.zeros(3)}}, px.UnknownName, "no input 'target'"),
        ({"inputs": {"tau": np.zeros(3)}}, px.InvalidInput, "tau="),
        ({"tau": np.zeros((5, 3))}, px.InvalidInput, "(..., 20, 3)"),
        ({"tau": np.zeros(4)}, px.InvalidInput, "or (3,) to hold"),
        ({"tau": 1.0}, px.InvalidInput, "tau has shape ()"),
        ({"tau": np.zeros((4, 20, 3))}, px.InvalidInput, "do not broadcast together"),
        ({"control": FEEDBACK}, px.InvalidInput, "target, gain, width"),
        (
            {"control": FEEDBACK, "tau": np.zeros(3), "inputs": {}},
            px.InvalidInput,
            "exclude each other",
        ),
    ],
)
def test_what_is_refused(options, error, message):
    q0, v0 = starts()
    with pytest.raises(error, match=re.escape(message)):
        px.rollout(ARM, q0, v0, **{"steps": STEPS} | options)


def test_wrong_shapes_of_states(free):
    q0, v0 = starts()
    for q, v in ((q0[:, :2], v0), (q0, v0[:4]), (q0, 0.0)):
        with pytest.raises(px.InvalidInput):
            free(q, v, steps=STEPS)


def test_a_duration_is_as_many_steps(free):
    q, v = (part[0] for part in starts())
    by_time, by_steps = (
        px.rollout(ARM, q, v, step=1e-3, **length) for length in ({"duration": 0.02}, {"steps": 20})
    )
    assert by_time == by_steps
    assert free(q, v, duration=0.02) == free(q, v, steps=20)
    runs = [px.simulate(ARM, q, v, **length) for length in ({"duration": 0.02}, {"steps": 20})]
    assert (runs[0].table == runs[1].table).all()
    assert runs[0].settings["duration"] == runs[1].settings["duration"]
    for call in (px.rollout, px.simulate):
        with pytest.raises(px.InvalidInput, match="Give duration= "):
            call(ARM, q, v)
        with pytest.raises(px.InvalidInput, match=r"duration=.* and steps=20 exclude each"):
            call(ARM, q, v, duration=0.02, steps=20)


def test_signals_of_a_result_and_of_a_recording_are_read_the_same_way():
    q, v = (part[0] for part in starts())
    runs = px.rollout(ARM, [q, q], v, steps=4, forces=())
    run = px.simulate(ARM, q, v, steps=4, forces=())
    assert (len(runs), len(run)) == (4, 5)  # a run begins with its start
    np.testing.assert_allclose(runs["q"][0], run["q"][1:], rtol=1e-12)
    assert runs["q"] is runs.q and (run.q == run["q"]).all()
    assert (run.v == run["v"]).all() and (run.tau == run["tau"]).all()
    assert "q" in runs and "q" in run and "tau" not in runs
    for result in (runs, run):
        with pytest.raises(px.UnknownName, match="no signal 'speed'"):
            result["speed"]
    assert px.rollout(ARM, q, v, steps=4, record=())  # len is 4: moments without records

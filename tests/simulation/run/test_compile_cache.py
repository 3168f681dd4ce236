"""A second call with an equal description compiles nothing, and never has another's answer."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.actuators.subsystem import Quantity
from phalanx.simulation.batch import loop
from phalanx.simulation.run import advance
from phalanx.simulation.run.compile_cache import COMPILED, CompileCache
from simulation.small_subsystems import Lag, cart


def arm(**changes):
    """A pendulum with friction, made anew: it is compiled in no time."""
    made = px.library.chain(1)
    joints = [replace(joint, damping=0.2, friction=0.3) for joint in made.joints]
    return replace(made, joints=joints, **changes)


ARM = arm()
ROOT, TIP = (body.name for body in ARM.bodies)
MASS = f"{TIP}.mass"
Q0, V0 = np.array([0.4]), np.array([0.1])
STEPS = 8


@pytest.fixture(autouse=True)
def nothing_kept():
    COMPILED.clear()
    yield
    COMPILED.clear()


@pytest.fixture
def made(monkeypatch):
    """How often something was traced or compiled since."""
    counts = {"traced": 0, "compiled": 0}
    original = ca.Function.__init__

    def traced(self, *args):
        counts["traced"] += bool(args)
        original(self, *args)

    def counting(function):
        def compiled(*args, **options):
            counts["compiled"] += 1
            return function(*args, **options)

        return compiled

    monkeypatch.setattr(ca.Function, "__init__", traced)
    for module, name in (
        (advance, "compile_kernel"),
        (advance, "compile_loop"),
        (loop, "compile_loop"),
    ):
        monkeypatch.setattr(module, name, counting(getattr(module, name)))
    return counts


def nothing_made(made, call):
    """The result of a call that must not compile."""
    made.update(traced=0, compiled=0)
    result = call()
    assert made == {"traced": 0, "compiled": 0}
    return result


def pd(target=(0.5,), **gains):
    return px.proportional_derivative(target, **({"stiffness": 9.0, "damping": 1.0} | gains))


def simulated(mechanism=ARM, **options):
    """Everything that was recorded."""
    options = {"duration": STEPS * 1e-3, "progress": False} | options
    run = px.simulate(mechanism, options.pop("q0", Q0), options.pop("v0", V0), **options)
    return np.concatenate([np.atleast_2d(run[name].T).T for name in run.signals], axis=1)


def rolled(mechanism=ARM, **options):
    """Everything that was recorded."""
    given = {"steps": STEPS, "record": ("q", "v", "tau"), "threads": 1} | options
    q0, v0 = given.pop("q0", Q0), given.pop("v0", V0)
    runs = px.rollout(mechanism, q0, v0, **given)
    kept = [getattr(runs, name) for name in ("q", "v", "tau") if name in given["record"]]
    cost = [np.atleast_1d(runs.cost)] if runs.cost is not None else []
    return np.concatenate([part.ravel() for part in [*kept, runs.final_q, *cost]])


def described():
    """One description, made anew."""
    return {"mechanism": arm(), "control": pd(np.array([0.5])), "forces": [px.Damping()]}


@pytest.mark.parametrize("run", [simulated, rolled])
def test_an_equal_description_compiles_nothing(run, made):
    first = run(**described())
    assert made["compiled"] > 0 and made["traced"] > 0
    second = nothing_made(made, lambda: run(**described()))
    np.testing.assert_array_equal(first, second)
    given = described()
    setup = px.Setup(given["mechanism"], given["forces"], given["control"])
    np.testing.assert_array_equal(nothing_made(made, lambda: run(setup)), first)


def test_a_long_run_in_native_loops_compiles_nothing_again(made):
    first = simulated(**described(), duration=2.5)
    np.testing.assert_array_equal(
        nothing_made(made, lambda: simulated(**described(), duration=2.5)), first
    )


def test_values_need_no_compilation_and_are_a_run_s_own(made):
    setup = px.Setup(ARM, control=pd(target=None), wrenches=(TIP,), parameters=(MASS, "gravity"))
    push, heavy = [0, 0, 5.0, 1.0, 1.0, 1.0], {MASS: 2.0, "gravity": [0, 0, -9.81]}
    told = {
        "inputs": {"target": [0.1]},
        "wrenches": {TIP: np.zeros(6)},
        "parameters": {MASS: 1.0, "gravity": [0, 0, -9.81]},
    }
    changes = [
        {},
        {"inputs": {"target": [0.3]}},
        {"wrenches": {TIP: push}},
        {"parameters": heavy},
        {"parameters": heavy | {"gravity": [0, 0, 0]}},
        {"q0": [0.1]},
        {"v0": [0.2]},
    ]
    for run in (simulated, rolled):
        run(setup, **told)
        results = [
            nothing_made(made, lambda c=change, r=run: r(setup, **(told | c))) for change in changes
        ]
        for k, change in enumerate(changes):
            COMPILED.clear()
            np.testing.assert_array_equal(results[k], run(setup, **(told | change)))
            assert all(np.abs(results[k] - other).max() > 0 for other in results[:k])
        for change in changes[1:3]:  # functions of time are looked up in each run
            ((name, value),) = change.items()
            ((key, numbers),) = value.items()
            moving = {name: {key: lambda t, n=numbers: np.asarray(n)}}
            if run is simulated:
                np.testing.assert_array_equal(
                    run(setup, **(told | moving)), run(setup, **(told | change))
                )


def test_python_functions_are_never_mixed_up(made):
    gains = [1.0, 2.0, 3.0]
    wanted = []
    for gain in gains:
        COMPILED.clear()
        wanted.append(simulated(control=lambda t, q, v, gain=gain: -gain * q))
    assert len({part.tobytes() for part in wanted}) == 3
    for gain, expected in zip(gains, wanted, strict=True):
        found = nothing_made(made, lambda g=gain: simulated(control=lambda t, q, v: -g * q))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("between", ["hold", "linear"])
def test_tables_are_a_run_s_own(between, made):
    tables = [px.Profile([0.0, 0.01], [[0], [k]], between) for k in (1.0, 2.0)]
    simulated(control=tables[0])
    found = [nothing_made(made, lambda t=table: simulated(control=t)) for table in tables]
    for table, result in zip(tables, found, strict=True):
        COMPILED.clear()
        np.testing.assert_array_equal(result, simulated(control=table))
    changed = tables[0].values
    changed *= 2.0  # what a table holds when it runs
    np.testing.assert_array_equal(simulated(control=tables[0]), found[1])


BASE = {"control": pd(), "forces": (px.Damping(),), "integrator": px.RungeKutta4(), "step": 1e-3}
# one thing is different
BOTH = {
    "mass": {"mechanism": arm(bodies=[ARM.bodies[0], replace(ARM.bodies[1], mass=3.0)])},
    "gravity": {"mechanism": arm(gravity=(0, 0, -1.6))},
    "forces": {"forces": (px.Damping(), px.Friction())},
    "no forces": {"forces": ()},
    "target": {"control": pd([0.4])},
    "other law": {"control": px.computed_torque([0.5], stiffness=9.0, damping=1.0)},
    "integrator": {"integrator": px.SemiImplicitEuler()},
    "wrench": {"wrenches": {TIP: [3.0, 2.0, 1.0, 1.0, 1.0, 1.0]}},
    "parameter": {"parameters": {MASS: 1.5}},
}
SIMULATED = {"rates": {"rates": True}, "step": {"step": 5e-4, "duration": STEPS * 5e-4}}
SIMULATED |= {"adaptive": {"integrator": px.DormandPrince()}}
SIMULATED |= {"method": {"integrator": px.DormandPrince(method="RK45")}}
ROLLED = {
    "step": {"step": 5e-4},
    "record": {"record": ("q",)},
    "dtype": {"dtype": "float32"},
    "objective": {"objective": lambda q, v, tau: tau.T @ tau},
    "other objective": {"objective": lambda q, v, tau: v.T @ v},
}


@pytest.mark.parametrize(("run", "own"), [(simulated, SIMULATED), (rolled, ROLLED)])
def test_one_thing_that_differs_is_another_answer(run, own):
    """Each as from a process that has compiled nothing before."""
    cases = {"base": {}} | BOTH | own
    found = {name: run(**(BASE | change)) for name, change in cases.items()}
    assert len({result.tobytes() for result in found.values()}) == len(cases)
    for name, change in cases.items():
        COMPILED.clear()
        np.testing.assert_array_equal(found[name], run(**(BASE | change)), err_msg=name)


def test_events_are_part_of_the_description(made):
    def box(mass):
        return px.Body("box", mass, [0.3, 0.2, 0.1], 0.01 * np.eye(3))

    def run(mass, time=0.004):
        return simulated(events=[px.pick_up(time, TIP, box(mass)), px.drop(0.006, "box")])

    first = run(1.0)
    np.testing.assert_array_equal(nothing_made(made, lambda: run(1.0)), first)
    heavier, later = run(5.0), nothing_made(made, lambda: run(1.0, 0.005))
    COMPILED.clear()
    np.testing.assert_array_equal(run(5.0), heavier)
    np.testing.assert_array_equal(run(1.0, 0.005), later)
    assert len({x.tobytes() for x in (first, heavier, later)}) == 3


@pytest.mark.parametrize("run", [simulated, rolled])
def test_arrays_that_change_afterwards(run):
    target, gain = np.array([0.5]), np.array([9.0])
    law = px.proportional_derivative(target, stiffness=gain, damping=1.0)
    free = px.Law(lambda model, t, q, v: ca.DM(gain) * (0.5 - q))
    kept, before = run(control=law), run(control=free)
    target += 1.0
    gain *= 2.0
    np.testing.assert_array_equal(run(control=law), kept)  # laws have numbers of their own
    after = run(control=free)  # a function sees what it sees now
    assert np.abs(after - before).max() > 0
    COMPILED.clear()
    np.testing.assert_array_equal(run(control=free), after)
    gain /= 2.0
    np.testing.assert_array_equal(run(control=free), before)


@dataclass(frozen=True)
class Slow(Lag):
    """A lag that begins somewhere, as an array says."""

    begin: np.ndarray = field(default_factory=lambda: np.zeros(1))

    def quantities(self, mechanism):
        return (Quantity("force", "N", ("slide",)),)

    def initial(self, mechanism, q):
        return np.broadcast_to(self.begin, (*q.shape[:-1], 1))


@pytest.mark.parametrize("run", [simulated, rolled])
def test_subsystems_that_change_afterwards(run, made):
    states = {"q0": [0.0], "v0": [0.0]}
    one = Slow(begin=np.array([1.0]))
    first = run(cart(), actuation=one, **states)
    one.begin[0] = 7.0
    # what was compiled for it serves an equal one, and asks nothing of the changed one
    again = nothing_made(made, lambda: run(cart(), actuation=Slow(begin=np.array([1.0])), **states))
    np.testing.assert_array_equal(again, first)
    assert np.abs(run(cart(), actuation=one, **states) - first).max() > 0


def test_functions_that_are_gone_are_not_taken_for_new_ones():
    """Each has the place in memory, perhaps, that the one before had."""
    for k in range(1, 4):
        space: dict = {}
        exec(f"law = lambda model, t, q, v: -{k}.0 * v", space)
        found = rolled(control=px.Law(space["law"]), steps=2)
        wanted = rolled(control=pd([0.0], stiffness=0.0, damping=float(k)), steps=2)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)
        del space


def test_what_cannot_be_looked_into_runs_and_is_not_kept(made):
    pull = ca.SX(2.0)
    law = px.Law(lambda model, t, q, v: -pull * q)
    first = rolled(control=law)
    assert len(COMPILED) == 0
    made.update(compiled=0)
    np.testing.assert_array_equal(rolled(control=law), first)
    assert made["compiled"] == 1


def test_a_rollouts_without_cache_compiles(made):
    px.CompiledRollout(ARM, threads=1)
    made.update(compiled=0)
    px.CompiledRollout(ARM, threads=1, cache=False)
    assert made["compiled"] == 1


def test_threads_share_what_one_compiles(made):
    """Equal descriptions, different values, all at once."""
    starts = [np.array([0.1 * k]) for k in range(6)]
    wanted = [(simulated(q0=q, control=pd()), rolled(q0=q, control=pd())) for q in starts]
    COMPILED.clear()
    made.update(compiled=0)
    found: dict[int, tuple] = {}
    begin = threading.Barrier(len(starts))

    def work(k):
        begin.wait()
        found[k] = simulated(q0=starts[k], control=pd()), rolled(q0=starts[k], control=pd())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(starts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made["compiled"] == 3  # a step, a row of the recording, and the loop of a batch
    for k, (single, batch) in enumerate(wanted):
        np.testing.assert_array_equal(found[k][0], single)
        np.testing.assert_array_equal(found[k][1], batch)


def test_the_store_is_bounded_and_keeps_what_was_used_last():
    cache, made = CompileCache(most=2), []

    def make(name):
        made.append(name)
        return [name]

    first = cache.get_or_make(("a",), lambda: make("a"))
    cache.get_or_make(("b",), lambda: make("b"))
    assert cache.get_or_make(("a",), lambda: make("a")) is first
    cache.get_or_make(("c",), lambda: make("c"))
    assert cache.get_or_make(("a",), lambda: make("a")) is first and len(cache) == 2
    cache.get_or_make(("b",), lambda: make("b"))
    assert made == ["a", "b", "c", "b"]
    cache.clear()
    assert len(cache) == 0 and cache.get_or_make(("a",), lambda: make("a")) is not first


def test_what_fails_is_not_kept():
    cache = CompileCache()
    with pytest.raises(ZeroDivisionError):
        cache.get_or_make(("a",), lambda: 1 / 0)
    assert len(cache) == 0
    assert cache.get_or_make(("a",), lambda: 5) == 5

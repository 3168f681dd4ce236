"""Trees on processes, and loads that change: joint torques and wrenches on bodies over time."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from distribute.mpi import mpiexec
from distribute.programs.chains.machines import mixed
from dynamics.evaluators.constraint_forces import machines
from phalanx.distribute import ChainJob, ForwardDynamicsJob, Solving, launch, run
from phalanx.distribute.job_data import from_data, to_data
from phalanx.distribute.programs.chains.chain import chain_of
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.spectrum import spectral_radius
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import still_root
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute, Spherical
from phalanx.simulation.integrators.tableaux import CLASSIC
from phalanx.simulation.setup.profile import Profile

TIGHT = Solving(stopping=Stopping(change=1e-12, residual=1e-12))
X, Y, Z = np.eye(3)


def branched(legs: int = 3, long: int = 3) -> Mechanism:
    """A trunk on the ground that carries legs of hinges and a neck of balls."""
    bodies, joints = [Body("ground")], []
    inertia = np.diag([0.05, 0.06, 0.03])

    def add(name, on, motion, at):
        bodies.append(Body(name, 1.0, np.array([0.1, 0.0, -0.2]), inertia))
        joints.append(Joint(f"to_{name}", on, name, motion, Pose(translation=np.array(at))))

    add("trunk", "ground", Spherical(), [0.0, 0.0, 0.0])
    add("chest", "trunk", Revolute(Y), [0.0, 0.0, 0.3])
    for leg in range(legs):
        on = "chest" if leg else "trunk"
        for k in range(long):
            name = f"leg_{leg}_{k}"
            add(name, on, Revolute((X, Y, Z)[(k + leg) % 3]), [0.1 * leg, 0.2, -0.3])
            on = name
    on = "chest"
    for k in range(long):
        add(f"neck_{k}", on, Spherical(), [0.0, 0.0, 0.2])
        on = f"neck_{k}"
    return Mechanism("branched", bodies, joints)


TREES = {
    "branched": branched(),
    "torso": px.library.torso(),
    "roots": machines.chains([3, 4, 2], ("revolute", "universal", "spherical"), 4, branching=True),
    "chain": mixed(),
}


def state(m, seed=0):
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, m.nv))
    return px.Dynamics(m).integrate(m.neutral(), 0.5 * rng.normal(size=m.nv)), v, tau


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("m", TREES.values(), ids=TREES)
def test_accelerations_of_trees_under_wrenches(m, processes):
    """Those of articulated bodies of the whole, wherever the tree is cut."""
    q, v, tau = state(m)
    rng = np.random.default_rng(1)
    frames = [body.name for body in m.bodies[1:]]
    wrenches = {frame: rng.normal(size=6) for frame in frames}
    job = ForwardDynamicsJob(m, q, v, tau, TIGHT, wrenches=wrenches)
    found = run(job, processes)
    dynamics = px.Dynamics(m, wrenches=frames)
    expected = dynamics.forward_dynamics(q, v, tau, *wrenches.values())
    np.testing.assert_allclose(found.a, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    again = run(replace(job, start=found.f), processes)
    assert again.iterations <= 2
    kinds = {line.kind for line in found.log}
    whole = chain_of(m).jointed.structure.is_chain
    assert kinds <= {"sum", "neighbour" if whole else "send"}


def test_a_branch_a_process():
    """Each leg has a process, and the neck goes with the trunk, which carries all of them."""
    chain = chain_of(branched(legs=4, long=4))
    segments = chain.divided(5)
    names = [[chain.jointed.names[j].removeprefix("to_") for j in one.joints] for one in segments]
    legs = {tuple(f"leg_{leg}_{k}" for k in range(4)) for leg in range(4)}
    assert {tuple(one) for one in names[1:]} == legs
    assert set(names[0]) == {"trunk", "chest", *(f"neck_{k}" for k in range(4))}
    assert [one.inboard for one in segments] == [None, 0, 0, 0, 0]
    # a leg knows its own joints and those that meet its first one
    for one in segments[1:]:
        halo = {chain.jointed.names[j] for j in np.setdiff1d(one.reach, one.joints)}
        on_trunk = "to_leg_0_0" in {chain.jointed.names[j] for j in one.joints}
        roots = {"to_neck_0", *(f"to_leg_{leg}_0" for leg in (1, 2, 3))}
        own = {chain.jointed.names[j] for j in one.joints}
        assert halo == ({"to_trunk", "to_chest"} if on_trunk else {"to_chest"} | roots - own)


def test_processes_of_a_tree_find_the_spectral_radius_together():
    """Siblings can take it above one, where Chebyshev's acceleration has no meaning."""
    m = branched(legs=1, long=3)
    q, v, tau = state(m)
    job = ForwardDynamicsJob(m, q, v, tau, Solving(ChebyshevJacobi()))
    system = chain_of(m).equations.pose(q[None], v[None], tau[None], still_root(m)).system
    (mu,) = spectral_radius(system)
    with pytest.raises(px.InvalidInput, match=r"spectral radius .* needs one below 1") as refused:
        run(job, 3)
    (said,) = re.findall(r"radius (\S+) on", str(refused.value))
    assert float(said) == pytest.approx(mu, rel=1e-3) and mu > 1


def rising(m, between="linear"):
    """Torques and a push that change within every step."""
    t = np.linspace(0.0, 0.02, 7)
    rng = np.random.default_rng(2)
    names = (m.bodies[-1].name, m.bodies[2].name)
    return (
        Profile(t, rng.normal(size=(7, m.nv)), between),
        {name: Profile(t, 5 * rng.normal(size=(7, 6)), between) for name in names},
    )


@pytest.mark.parametrize("processes", [1, 3])
@pytest.mark.parametrize("name", ["branched", "chain"])
def test_loads_over_time_are_those_of_one_processor(name, processes):
    """Runge-Kutta steps by articulated bodies, with the loads of each stage's own time."""
    m = TREES[name]
    q, v, _ = state(m)
    tau, wrenches = rising(m)
    job = ChainJob(
        m, TIGHT, duration=0.02, step=2e-3, q=q, v=v, tau=tau, wrenches=wrenches, every=5
    )
    result = run(job, processes)
    dynamics = px.Dynamics(m, wrenches=list(wrenches))
    damping = m.per_freedom("damping")

    def rates(t, x):
        at, speed = x[: m.nq], x[m.nq :]
        pushes = (wrench(t) for wrench in wrenches.values())
        a = dynamics.forward_dynamics(at, speed, tau(t) - damping * speed, *pushes)
        h = 1e-6
        moved = [dynamics.integrate(at, s * h * speed) for s in (1.0, -1.0)]
        return np.concatenate([(moved[0] - moved[1]) / (2 * h), a])

    x = np.concatenate([q, v])
    for k in range(job.steps):
        x = CLASSIC.step(rates, k * job.step, x, job.step)
        x[: m.nq] = dynamics.integrate(x[: m.nq], np.zeros(m.nv))
    assert len(result.recording) == 3
    np.testing.assert_allclose(result.recording["q"][-1], x[: m.nq], rtol=0, atol=1e-7)
    np.testing.assert_allclose(result.recording["v"][-1], x[m.nq :], rtol=0, atol=1e-6)
    held = run(replace(job, tau=tau(0.0), wrenches={}), processes)
    assert np.abs(held.recording["v"][-1] - x[m.nq :]).max() > 1e-3


def test_rows_of_a_tree_are_recorded_joint_by_joint():
    """States at first are those given, whatever process they come from."""
    m = TREES["roots"]
    q, v, _ = state(m)
    result = run(ChainJob(m, TIGHT, duration=2e-3, step=1e-3, q=q, v=v), 4)
    np.testing.assert_array_equal(result.recording["q"][0], q)
    np.testing.assert_array_equal(result.recording["v"][0], v)
    alone = run(ChainJob(m, TIGHT, duration=2e-3, step=1e-3, q=q, v=v), 1)
    np.testing.assert_allclose(result.recording["q"][-1], alone.recording["q"][-1], atol=1e-10)


def test_loads_are_plain_data_and_are_checked():
    tau, wrenches = rising(px.library.chain(4))
    job = ChainJob("chain:4", tau=tau, wrenches=wrenches)
    data = to_data(job)
    assert to_data(from_data(data)) == data
    again = from_data(data)
    np.testing.assert_array_equal(again.tau.values, tau.values)
    assert list(again.wrenches) == list(wrenches)
    with pytest.raises(px.InvalidInput, match=r"tau .* has 3 columns; expected 4"):
        ChainJob("chain:4", tau=Profile([0.0], np.zeros((1, 3)))).on(2)
    with pytest.raises(px.InvalidInput, match=r"'link_2' .* has shape \(3,\); expected \(6,\)"):
        ChainJob("chain:4", wrenches={"link_2": np.zeros(3)}).on(2)
    with pytest.raises(px.UnknownName, match="'lnk_2'"):
        ChainJob("chain:4", wrenches={"lnk_2": np.zeros(6)}).on(2)
    with pytest.raises(px.InvalidInput, match=r"'link_2' .* it must be finite"):
        ChainJob("chain:4", wrenches={"link_2": [0, 0, np.nan, 0, 0, 0]}).on(2)
    for wrong in (5, {"link_2": "up"}):
        with pytest.raises(px.InvalidInput, match="wrench"):
            ChainJob("chain:4", wrenches=wrong).on(2)


@pytest.mark.xdist_group("mpi")
@pytest.mark.parametrize("model", ["torso", "chain:6,joint=universal"])
def test_changing_loads_on_ranks(model):
    """The same numbers as in one process, with a branch or a segment a rank."""
    mpiexec()
    m = px.library.by_name(model)
    tau, wrenches = rising(m)
    job = ChainJob(
        model, TIGHT, duration=4e-3, step=2e-3, q=m.neutral(), tau=tau, wrenches=wrenches
    )
    there, here = launch(job, 3, timeout=60.0), run(job, 3)
    np.testing.assert_array_equal(there.recording["v"], here.recording["v"])
    assert np.abs(there.recording["v"][-1]).max() > 0

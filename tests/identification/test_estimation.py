"""Known parameters come back; errors cover the truth as often as they say; bodies stay bodies."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from identification.machines import TERMS, data_of, with_friction
from phalanx.identification.parameters import parameters_of, pseudo_inertia, values_of

IDENTIFY = px.identification.identify


@pytest.mark.parametrize("name", ["double_pendulum", "stanford", "puma560"])
def test_without_noise_the_truth_comes_back(name):
    machine, truth, motion, tau = data_of(name)
    found = IDENTIFY(machine, *motion, tau, terms=TERMS)
    np.testing.assert_allclose(found.values, truth, atol=1e-9 * np.abs(truth).max())
    np.testing.assert_allclose(found.consistent, truth, atol=1e-5 * np.abs(truth).max())
    assert found.check(*motion, tau).relative.max() < 1e-9


@pytest.mark.parametrize(
    "terms", [(), ("rotor_inertia",), ("rotor_inertia", "damping", "friction")]
)
def test_what_is_not_estimated_is_as_the_machine_says(terms):
    machine, _, motion, tau = data_of("puma560", terms=("rotor_inertia", *TERMS))
    found = IDENTIFY(machine, *motion, tau, terms=terms)
    ordered = [t for t in ("rotor_inertia", "damping", "friction") if t in terms]
    truth = found.base.of(values_of(machine, ordered))
    np.testing.assert_allclose(found.values, truth, atol=1e-8)


def test_a_wrong_model_becomes_the_right_one():
    """Masses of the model are not believed: a machine that is twice as heavy is found."""
    machine, _, (q, v, a), tau = data_of("stanford")
    half = [
        px.Body(b.name, b.mass / 2, b.com, b.inertia / 2, physical=b.physical)
        for b in machine.bodies
    ]
    model = px.Mechanism("model", half, machine.joints, gravity=machine.gravity)
    found = IDENTIFY(model, q, v, a, tau, terms=TERMS)
    rebuilt = px.Dynamics(found.mechanism, threads=1)
    damping, friction = (
        np.concatenate([getattr(j, n) for j in found.mechanism.moving_joints]) for n in TERMS
    )
    again = rebuilt.inverse_dynamics(q, v, a) + damping * v + friction * np.sign(v)
    np.testing.assert_allclose(again, tau, atol=1e-3 * np.abs(tau).max())
    np.testing.assert_allclose(damping, 0.3, rtol=1e-2)


def test_standard_errors_cover_the_truth_as_often_as_they_say():
    """1.96 standard errors: 95 of 100 estimates, counted over a thousand."""
    machine, truth, motion, tau = data_of("double_pendulum", rows=200)
    rng = np.random.default_rng(5)
    sigma = np.array([0.4, 0.1])
    d, inside = px.Dynamics(machine, threads=1), []
    for _ in range(100):
        found = IDENTIFY(d, *motion, tau + sigma * rng.normal(size=tau.shape), terms=TERMS)
        inside.append(np.abs(found.values - truth) < 1.96 * found.standard_errors)
    share = np.mean(inside)
    # parameters of one run are correlated; across runs the share of 100 runs varies by 2 % or less
    assert 0.92 < share < 0.98
    np.testing.assert_allclose(found.noise, sigma, rtol=0.2)


def test_joints_with_more_noise_count_less():
    machine, truth, motion, tau = data_of("double_pendulum", rows=200)
    rng = np.random.default_rng(6)
    sigma = np.array([3.0, 0.01])
    d, weighted, equal = px.Dynamics(machine, threads=1), [], []
    for _ in range(10):
        noisy = tau + sigma * rng.normal(size=tau.shape)
        found = IDENTIFY(d, *motion, noisy, terms=TERMS)
        outer = [name.startswith("lower") for name in found.base.leaders]
        weighted.append((found.values - truth)[outer])
        equal.append((IDENTIFY(d, *motion, noisy, terms=TERMS, noise=1.0).values - truth)[outer])
    assert np.linalg.norm(weighted) < 0.1 * np.linalg.norm(equal), "both joints feel the lower link"


@pytest.mark.parametrize("noise", [0.1, 5.0, 100.0])
def test_bodies_can_have_what_is_found_whatever_the_noise(noise):
    machine, _, motion, tau = data_of("puma560")
    rng = np.random.default_rng(7)
    found = IDENTIFY(machine, *motion, tau + noise * rng.normal(size=tau.shape), terms=TERMS)
    for body in found.mechanism.bodies[1:]:
        assert body.mass > 0 and body.physical
        assert np.linalg.eigvalsh(pseudo_inertia(parameters_of(body))).min() > 0
    for joint in found.mechanism.moving_joints:
        assert (joint.damping >= 0).all() and (joint.friction >= 0).all()
    # no further from the estimate than the nearest parameters of the machine that made the data
    near = found.covariance
    off = [x - found.values for x in (found.consistent, found.base.of(values_of(machine, TERMS)))]
    distances = [d @ np.linalg.solve(near, d) for d in off]
    assert distances[0] < 1.05 * distances[1] + 1e-3


def test_another_motion_is_predicted_as_well_as_noise_allows():
    machine, _, motion, tau = data_of("stanford")
    rng = np.random.default_rng(8)
    found = IDENTIFY(machine, *motion, tau + 0.1 * rng.normal(size=tau.shape), terms=TERMS)
    path = px.identification.excitation(
        machine, velocity_limit=1.5, acceleration_limit=4.0, generations=0, restarts=1, seed=9
    ).path
    q, v, a = path((np.arange(200) + 0.5) * path.duration / 200)
    exact = px.Dynamics(machine, threads=1).inverse_dynamics(q, v, a) + 0.3 * v + 0.5 * np.sign(v)
    fit = found.check(q, v, a, exact)
    assert fit.rms.max() < 0.1, "below the noise of one measurement"
    assert "joint_1" in str(fit)
    assert len(found.table()) == len(found.base)


def test_motions_that_do_not_excite_name_what_stays_unknown():
    machine, _, (q, *_), _ = data_of("double_pendulum")
    d = px.Dynamics(machine, threads=1)
    still = np.zeros_like(q)
    with pytest.raises(px.identification.NotExciting) as caught:  # gravity alone
        IDENTIFY(machine, q, still, still, d.gravity(q))
    assert caught.value.unknown == ("upper.Iyy", "lower.Iyy") and caught.value.missing == 2
    stays = np.full_like(q, 0.3)
    with pytest.raises(px.identification.NotExciting, match=r"4 of 6 .*excitation makes"):
        IDENTIFY(machine, stays, still, still, d.gravity(stays))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda q, v, a, tau: (q[:3], v[:3], a[:3], tau[:3]), "equations for"),
        (lambda q, v, a, tau: (q, v, a, tau[:-1]), "tau has shape"),
        (lambda q, v, a, tau: (q[:, :1], v, a, tau), "q has shape"),
        (lambda q, v, a, tau: (q, np.where(q == q[5, 1], np.nan, v), a, tau), "row 5, joint 1"),
        (lambda q, v, a, tau: (q, v, a, "x"), "tau"),
    ],
)
def test_data_that_are_none(change, words):
    machine, _, motion, tau = data_of("double_pendulum")
    with pytest.raises(px.InvalidInput, match=words):
        IDENTIFY(machine, *change(*motion, tau), terms=TERMS)
    with pytest.raises(px.InvalidInput, match="noise of joint 0 is 0"):
        IDENTIFY(machine, *motion, tau, noise=0.0)


def test_data_from_a_file(tmp_path):
    machine = with_friction(px.library.double_pendulum())
    path = px.planning.quintic([0.0, 0.0], [1.0, -2.0], 1.0)
    table = px.planning.TrajectoryTable.of(machine, path.sample(0.01))
    table.to_csv(tmp_path / "rows.csv")
    data = px.identification.read_measured(tmp_path / "rows.csv", machine)
    np.testing.assert_allclose(data.tau, table.torque, rtol=1e-12, atol=1e-12)
    px.planning.write_rows(path.sample(0.01), tmp_path / "bare.csv", machine)
    with pytest.raises(px.ReadError, match="no columns 'torque of …'"):
        px.identification.read_measured(tmp_path / "bare.csv", machine)

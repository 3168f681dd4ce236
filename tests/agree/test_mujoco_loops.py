"""Machines with loops against MuJoCo, whose equality constraints are stiff springs.

It adds R = (1 - d) / d of the inverse inertia to a constraint, d at most 0.9999. Accelerations are
off in proportion to R, so two values of d give what they tend to.
"""

import numpy as np
import pytest

import phalanx as px

mujoco = pytest.importorskip("mujoco")

from phalanx.bench.peers.mujoco import build_model  # noqa: E402

SOFT, STIFF = 0.999, 0.9999


def accelerations(model, x, tau, impedance):
    model.eq_solimp[:, :2] = impedance
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qfrc_applied = x.q, x.v, tau
    mujoco.mj_forward(model, data)
    return data.qacc.copy()


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "five_bar"])
def test_stiffer_and_stiffer_springs_tend_to_exact_loops(name):
    mechanism = px.library.by_name(name)
    model = build_model(mechanism)
    model.opt.tolerance = 1e-15
    model.opt.iterations = 200
    d = px.Dynamics(mechanism)
    rng = np.random.default_rng(3)
    regularisation = [(1 - impedance) / impedance for impedance in (SOFT, STIFF)]
    for _ in range(20):
        guess = mechanism.neutral() + 0.3 * rng.standard_normal(mechanism.nq)
        x = px.assemble(mechanism, guess, rng.standard_normal(mechanism.nv))
        tau = rng.standard_normal(mechanism.nv)
        soft, stiff = (accelerations(model, x, tau, impedance) for impedance in (SOFT, STIFF))
        a = d.forward_dynamics(x.q, x.v, tau)
        slope = (soft - stiff) / (regularisation[0] - regularisation[1])
        limit = stiff - slope * regularisation[1]
        scale = 1 + np.abs(a).max()
        assert np.abs(limit - a).max() < 1e-5 * scale
        assert np.abs(soft - a).max() > 3 * np.abs(stiff - a).max()

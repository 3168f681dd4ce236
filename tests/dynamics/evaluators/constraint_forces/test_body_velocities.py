"""Bodies followed each by itself: as the paper writes it, torn apart or not, and back to joints."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.body_velocities import BodyVelocities
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.method import still_root
from phalanx.studies.sharf import as_written, machines

CHAINS = [machines.small_chain(), machines.substitute_arm()]


def made(mechanism):
    return BodyVelocities(ConstraintEquations(jointed_bodies(bodies_of(mechanism))))


def in_nodes(bodies, numbers):
    """Pairs of vectors of bodies, (n, 6), in the axes of the nodes that carry them."""
    R = bodies.body_rotation[1:]
    return np.concatenate(
        [np.einsum("nij,nj->ni", R, part) for part in (numbers[:, :3], numbers[:, 3:])], axis=1
    )


@pytest.mark.parametrize("mechanism", CHAINS, ids=lambda m: m.name)
@pytest.mark.parametrize("decay", [0.0, 7.0])
def test_bodies_that_do_not_move_together_accelerate_as_the_paper_says(mechanism, decay):
    q, v = machines.bent(mechanism.nv, seed=3)
    tau = np.linspace(-1, 2, mechanism.nv)
    torn = as_written.moving(mechanism, q, v, tau).v_sigma
    torn += 0.3 * np.random.default_rng(4).uniform(-1, 1, torn.shape)
    paper = as_written.ChainAtMoment(mechanism, q, torn, tau, decay)

    follow = made(mechanism)
    bodies = follow.equations.jointed.bodies
    V, root = in_nodes(bodies, torn)[None], still_root(mechanism)
    fit = follow.fit(q[None], V, root)
    assert np.allclose(fit.v[0], paper.rates, atol=1e-14)
    assert fit.drift[0] == pytest.approx(np.linalg.norm(paper.drift), rel=1e-13)
    posed = follow.pose(q[None], V, tau[None], root, fit, decay=decay)
    rates = follow.rates(posed, BlockElimination().solve(posed.system).f, fit)
    expected = in_nodes(bodies, paper.body_accelerations)
    assert np.allclose(rates[0], expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_every_joint_type_gives_back_the_velocities_of_its_bodies():
    motions = [px.library.chain(3, joint) for joint in ("revolute", "universal", "spherical")]
    heavy = px.Body("base", 2.0, np.zeros(3), np.eye(3))
    towed = px.library.chain(3, "universal")
    motions.append(px.with_floating_base(replace(towed, bodies=[heavy, *towed.bodies[1:]])))
    for mechanism in motions:
        follow, draw = made(mechanism), np.random.default_rng(5)
        d = px.Dynamics(mechanism)
        q = d.integrate(mechanism.neutral(), draw.uniform(-1, 1, mechanism.nv))[None]
        v, root = draw.uniform(-1, 1, (1, mechanism.nv)), still_root(mechanism)
        V = follow.equations.velocities(q, v, root)
        fit = follow.fit(q, V, root)
        assert np.allclose(fit.v, v, atol=1e-13)
        assert np.abs(fit.slack).max() < 1e-13
        h = 1e-6
        ahead, behind = (d.integrate(q[0], s * v[0]) for s in (h, -h))
        assert np.allclose(follow.position_rates(q, v)[0], (ahead - behind) / (2 * h), atol=1e-8)
        # and rates of bodies are those of motion along the joints
        tau = draw.uniform(-1, 1, (1, mechanism.nv))
        posed = follow.pose(q, V, tau, root, fit)
        rates = follow.rates(posed, BlockElimination().solve(posed.system).f, fit)
        a = d.forward_dynamics(q[0], v[0], tau[0])
        later, earlier = (
            follow.equations.velocities(d.integrate(q[0], s * v[0])[None], v + s * a[None], root)
            for s in (h, -h)
        )
        assert np.allclose(rates, (later - earlier) / (2 * h), atol=1e-6 * np.abs(rates).max())

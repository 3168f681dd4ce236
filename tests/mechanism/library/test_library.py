"""What every machine of the library owes: it builds, it is drawn, its data give known numbers."""

import sys

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.mechanism import Mechanism, library


def potential_energy(mechanism: Mechanism, q: np.ndarray, poses) -> float:
    at = {name: q[part] for name, part in mechanism.q_slices.items()}
    X = poses(mechanism, at)
    centres = {body.name: (X[body.name] @ [*body.com, 1])[:3] for body in mechanism.bodies}
    return -sum(body.mass * mechanism.gravity @ centres[body.name] for body in mechanism.bodies)


def holding_forces(mechanism: Mechanism, poses) -> np.ndarray:
    """Joint forces that hold the machine at neutral: the slope of its potential energy."""
    step = 1e-4
    slopes = []
    for direction in np.eye(mechanism.nq):
        ahead, behind = (
            potential_energy(mechanism, sign * step * direction, poses) for sign in (1, -1)
        )
        slopes.append((ahead - behind) / (2 * step))
    return np.array(slopes)


@pytest.mark.parametrize("name", library.names())
def test_every_machine_builds_by_name_and_is_drawn(name):
    machine = library.by_name(name)
    assert machine.nv > 0
    assert any(body.visuals for body in machine.bodies)


def test_the_list_of_names_is_the_public_surface():
    assert {"by_name", "names", *library.names()} == set(library.__all__)


def test_unknown_machines_come_with_a_suggestion():
    with pytest.raises(UnknownName, match="Did you mean 'puma560'"):
        library.by_name("puma56")


# Forces at rest from the sources: Dhanaraj 1990 (tables and listings), Wong 1991
HELD = {
    "puma560": (0, -36.948107, 0.248675, 0, 0, 0),
    "puma560_listing": (0, -13.757387, 0.248675, 0, 0, 0),
    "puma600": (0, -69.71323, -0.48167, 0, 0, 0),
    "cat215b": (0, 120131.298, 17626.608, 2511.36),
}


@pytest.mark.parametrize("name", HELD)
def test_forces_at_rest_are_those_of_the_source(name, poses):
    forces = holding_forces(library.by_name(name), poses)
    np.testing.assert_allclose(forces, HELD[name], rtol=1e-6, atol=6e-6)


def test_published_inertias_no_body_has_are_marked():
    def unphysical(machine: Mechanism) -> list[str]:
        return [body.name for body in machine.bodies if not body.physical]

    assert unphysical(library.puma560()) == ["link_1", "link_3"]
    assert len(unphysical(library.puma560_listing())) == 6
    for machine in (library.stanford(), library.puma600(), library.torso(), library.cat215b()):
        assert unphysical(machine) == []


def test_masses_of_the_sources():
    def total(machine: Mechanism) -> float:
        return sum(body.mass for body in machine.bodies)

    assert total(library.puma560()) == pytest.approx(23.45)
    assert total(library.puma560_arm()) == pytest.approx(23.45)
    assert total(library.puma560_arm(payload=10)) == pytest.approx(33.45)
    assert total(library.stanford()) == pytest.approx(20.77)
    assert total(library.torso()) == pytest.approx(54.4)
    assert total(library.cat215b()) == pytest.approx(11061)


def test_motors_act_on_their_own_joint():
    motors = library.puma560().per_freedom("reflected_inertia")
    np.testing.assert_array_equal(motors, (1.14, 4.71, 0.83, 0.20, 0.179, 0.193))
    assert not library.puma560_listing().per_freedom("reflected_inertia").any()


def test_listings_come_in_their_sizes():
    assert library.puma560_listing(joints=3).nv == library.stanford_listing(joints=3).nv == 3
    assert library.stanford_listing(joints=3).body("link_3").mass == 6.47
    with pytest.raises(InvalidInput, match="1 to 6"):
        library.puma560_listing(joints=7)
    with pytest.raises(InvalidInput, match="3 or 6"):
        library.stanford_listing(joints=4)


def test_a_payload_obeys_the_parallel_axis_theorem():
    empty, loaded = (library.puma560_arm(m).body("link_3") for m in (0.0, 10.0))
    # about the joint axis the inertias add: 10 kg at 0.4318 m
    about_axis = [b.inertia[2, 2] + b.mass * b.com[:2] @ b.com[:2] for b in (empty, loaded)]
    assert about_axis[1] - about_axis[0] == pytest.approx(10 * 0.4318**2)


def test_torso_variants_differ_in_inertia_only():
    printed, physical = library.torso_as_printed(), library.torso()
    np.testing.assert_allclose(
        printed.body("left_lower_arm").inertia.diagonal(), (0.00175, 0.0245, 0.0245), rtol=1e-3
    )
    np.testing.assert_allclose(
        physical.body("left_lower_arm").inertia, physical.body("right_lower_arm").inertia
    )
    assert [j.parent for j in printed.joints] == [j.parent for j in physical.joints]


@pytest.mark.parametrize(
    ("joint", "nq", "nv"), [("revolute", 1, 1), ("universal", 2, 2), ("spherical", 4, 3)]
)
def test_chains_of_every_joint(joint, nq, nv):
    chain = library.chain(5, joint, length=2.0, mass=3.0)
    assert (chain.nq, chain.nv) == (5 * nq, 5 * nv)
    assert sum(body.mass for body in chain.bodies) == 15


def test_a_chain_hangs_at_rest(poses):
    chain = library.chain(4, length=0.5, alternate=True)
    np.testing.assert_allclose(holding_forces(chain, poses), 0, atol=1e-9)
    assert poses(chain)["link_4"][2, 3] == -1.5
    axes = [joint.motion.axis.tolist() for joint in chain.joints]
    assert axes[:2] == [[0, 1, 0], [1, 0, 0]] and axes[2:] == axes[:2]


def test_chains_that_do_not_exist():
    for wrong in ({"n": 0}, {"joint": "prismatic"}, {"joint": "spherical", "alternate": True}):
        with pytest.raises(InvalidInput):
            library.chain(**wrong)


def test_a_long_chain_builds_in_linear_time():
    """Seen by the calls it makes; quadratic growth would be a factor of 100."""

    def calls(n):
        count = 0

        def look(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(look)
        try:
            library.chain(n)
        finally:
            sys.setprofile(before)
        return count

    assert 0 < calls(3_000) < 12 * calls(300)


def test_double_pendulum_is_two_point_masses(poses):
    pendulum = library.double_pendulum(lengths=(0.5, 0.25), masses=(2.0, 1.0))
    assert poses(pendulum)["tip"][2, 3] == -0.75
    # m1 g l1 (1 - cos q1) + m2 g (l1 (1 - cos q1) + l2 (1 - cos (q1 + q2)))
    q = np.array([0.4, 0.3])
    rise = potential_energy(pendulum, q, poses) - potential_energy(pendulum, 0 * q, poses)
    first, second = 0.5 * (1 - np.cos(0.4)), 0.25 * (1 - np.cos(0.7))
    assert rise == pytest.approx(9.81 * (2 * first + first + second))


@pytest.mark.parametrize(
    ("text", "bodies", "nv"),
    [
        ("chain:3", 4, 3),
        ("chain:3,spherical", 4, 9),
        ("chain:joint=universal,n=4", 5, 8),
        ("chain:1_000,alternate=true,length=0.1", 1001, 1000),
    ],
)
def test_numbers_of_a_machine_are_written_behind_its_name(text, bodies, nv):
    machine = library.by_name(text)
    assert library.knows(text)
    assert (len(machine.bodies), machine.nv) == (bodies, nv)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("chain:0", InvalidInput, "at least one rod"),
        ("chain:many", InvalidInput, "n='many' in 'chain:many'; expected a whole number"),
        ("chain:", InvalidInput, "expected a whole number"),
        ("chain:3,n=4", InvalidInput, "gives n twice"),
        ("chain:3,alternate=maybe", InvalidInput, "expected true or false"),
        ("chain:3,spherical,1.0", InvalidInput, "no argument for '1.0'; name it"),
        ("chain:3,lenght=2", UnknownName, "Did you mean 'length'"),
        ("chain:gravity=1", UnknownName, "no argument 'gravity'"),
        ("puma560:7", InvalidInput, "no argument for '7'"),
        ("chian:7", UnknownName, "no machine 'chian:7'"),
    ],
)
def test_numbers_that_a_machine_does_not_have_are_refused(text, error, said):
    with pytest.raises(error, match=said):
        library.by_name(text)

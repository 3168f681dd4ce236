"""Which machines array, chip and mesh take; what they say of those that they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx import hardware
from phalanx.base.errors import InvalidModel
from phalanx.mechanism import Body, Joint, Mechanism, Mimic, Revolute
from phalanx.mechanism.edit import release_mimics
from strategies import KINDS, random_body, random_motion, random_pose, state_of

ON_MESH = ("revolute", "continuous", "prismatic", "universal", "cylindrical", "fixed")


def arm_with(kind: str) -> Mechanism:
    """A joint of a type between two hinges."""
    rng = np.random.default_rng(5)
    motions = [Revolute(), random_motion(rng, kind, aligned=False), Revolute((0, 1, 0))]
    bodies = [Body("base"), *(random_body(rng, f"link_{i}", aligned=False) for i in range(3))]
    joints = [
        Joint(f"joint_{i}", bodies[i].name, bodies[i + 1].name, motion, random_pose(rng, False))
        for i, motion in enumerate(motions)
    ]
    return Mechanism("arm", bodies, joints)


def arm_that_mimics() -> Mechanism:
    arm = arm_with("revolute")
    return replace(arm, joints=[*arm.joints[:2], replace(arm.joints[2], mimic=Mimic("joint_0", 2))])


def on_prefix_tree(arm: Mechanism) -> None:
    on_array(arm, px.scans.kogge_stone)


def on_array(arm: Mechanism, network: px.scans.PrefixNetwork | None = None) -> None:
    states = [state_of(arm, seed) for seed in range(2)]
    q, v, a = (np.array([getattr(x, name) for x in states]) for name in "qva")
    found = hardware.operator_array(arm, network).execute(q, v, a)
    agree(found, px.Dynamics(arm).inverse_dynamics(q, v, a))


def on_chip(arm: Mechanism) -> None:
    states = [state_of(arm, seed) for seed in range(2)]
    q, v, a = (np.array([getattr(x, name) for x in states]) for name in "qva")
    found = hardware.chip.chip_array(arm).inverse_dynamics(q, v, a)
    agree(found, px.Dynamics(arm).inverse_dynamics(q, v, a))


def on_mesh(arm: Mechanism) -> None:
    x = state_of(arm, 1)
    results = hardware.mesh.mesh_evaluation(arm).plan().execute(x.q, x.v, x.tau)
    found = dict(zip(["M", "F", "a", "pivots"], results, strict=True))["a"]
    agree(np.ravel(found), px.Dynamics(arm).forward_dynamics(x.q, x.v, x.tau))


def agree(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * np.abs(wanted).max())


@pytest.mark.parametrize("way", [on_array, on_prefix_tree, on_chip])
@pytest.mark.parametrize("kind", KINDS)
def test_arrays_and_chips_take_every_joint(kind: str, way: Callable[[Mechanism], None]):
    way(arm_with(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_a_mesh_takes_hinges_and_slides_and_names_other_joints(kind: str):
    arm = arm_with(kind)
    if kind not in ON_MESH:
        said = "'joint_1' of 'arm' moves .*--lock.*put hinges and slides with massless links"
        with pytest.raises(InvalidModel, match=said):
            on_mesh(arm)
        arm = px.lock(arm, "joint_1")
    on_mesh(arm)


@pytest.mark.parametrize("way", [on_array, on_prefix_tree, on_chip])
def test_arrays_and_chips_take_joints_that_mimic_others(way: Callable[[Mechanism], None]):
    way(arm_that_mimics())


def test_a_mesh_names_a_joint_that_mimics_another():
    arm = arm_that_mimics()
    with pytest.raises(InvalidModel, match=r"'joint_2'.*follows another.*--lock.*release_mimics"):
        on_mesh(arm)
    on_mesh(px.lock(arm, "joint_2"))
    on_mesh(release_mimics(arm))


@pytest.mark.parametrize("way", [on_array, on_prefix_tree, on_chip])
def test_loops_are_named_and_the_tree_without_them_is_taken(way: Callable[[Mechanism], None]):
    linkage = px.library.four_bar()
    with pytest.raises(InvalidModel, match=r"loop 'pin' closes it.*loops=\(\).*--no-closures"):
        way(linkage)
    way(replace(linkage, loops=()))

"""Long machines as data: they are built and asked in linear time, and take little memory.

No clock is read here. What takes quadratic time would take minutes at these sizes, where now
it takes a tenth of a second.
"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism.inertia import joints_without_inertia

BODIES = 20_000


@pytest.fixture(scope="module")
def chain() -> px.Mechanism:
    return px.library.chain(BODIES, alternate=True, damping=0.25)


def test_a_long_chain_answers_every_question_of_its_size(chain):
    assert len(chain.bodies) == BODIES + 1 and chain.nq == chain.nv == BODIES
    assert chain.q_slices["joint_20000"] == slice(BODIES - 1, BODIES)
    np.testing.assert_array_equal(chain.per_freedom("damping"), np.full(BODIES, 0.25))
    np.testing.assert_array_equal(chain.neutral(), np.zeros(BODIES))
    assert np.abs(chain.random_positions(seed=1)).max() <= np.pi
    assert len(chain.actuated_joints) == BODIES
    assert joints_without_inertia(chain) == ()


@pytest.mark.parametrize("joint", ["revolute", "universal", "spherical"])
def test_a_body_takes_little_memory(joint):
    px.library.chain(10, joint)  # what is kept for all machines
    tracemalloc.start()
    try:
        machine = px.library.chain(2000, joint)
        _ = machine.q_slices, machine.v_slices, machine.parents
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / 2000 < 2500  # bytes


def test_a_long_file_is_read(tmp_path):
    lines = ['<robot name="long"><link name="l0"/>']
    for i in range(1, 501):
        lines.append(
            f'<link name="l{i}"><inertial><mass value="{i}"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{i}" type="continuous"><parent link="l{i - 1}"/><child link="l{i}"/>'
            '<origin xyz="0 0 1" rpy="0.1 0 0"/><axis xyz="0 1 0"/></joint>'
        )
    path = tmp_path / "long.urdf"
    path.write_text("".join([*lines, "</robot>"]))
    machine = px.load(path)
    assert [body.mass for body in machine.bodies] == list(range(501))
    # what is equal in all of them is kept once
    assert len({id(joint.pose.rotation) for joint in machine.joints}) == 1
    assert len({id(body.inertia) for body in machine.bodies[1:]}) == 1

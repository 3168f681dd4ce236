"""Closures beside a URDF: every type, places on links, and errors that say where and why."""

import numpy as np
import pytest

from phalanx.base.errors import PhalanxError, ReadError
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import (
    Cylindrical,
    Fixed,
    FixedDistance,
    JointCoupling,
    Planar,
    PlanarPin,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.read import load

INERTIAL = """<inertial><origin xyz="0.1 0 0"/><mass value="1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>"""


def revolute(name, parent, child, x):
    return f"""<joint name="{name}" type="continuous"><parent link="{parent}"/>
      <child link="{child}"/><origin xyz="{x} 0 0"/><axis xyz="0 1 0"/></joint>"""


FOUR_BAR = f"""<robot name="four_bar"><link name="ground"/>
  <link name="crank">{INERTIAL}</link><link name="coupler">{INERTIAL}</link>
  <link name="rocker">{INERTIAL}</link><link name="rocker_end"/>
  {revolute("a", "ground", "crank", 0)}{revolute("b", "crank", "coupler", 0.2)}
  {revolute("c", "ground", "rocker", 0.7)}
  <joint name="end" type="fixed"><parent link="rocker"/><child link="rocker_end"/>
    <origin xyz="0.5 0 0"/></joint></robot>"""

PIN = """
- name: pin
  type: revolute
  axis: [0, 2, 0]
  frame_a: {frame: coupler, xyz: [0.6, 0, 0]}
  frame_b: rocker_end
"""


@pytest.fixture
def read(tmp_path):
    def from_text(closures: str):
        (tmp_path / "arm.urdf").write_text(FOUR_BAR)
        (tmp_path / "arm.closures.yaml").write_text(closures)
        return load(tmp_path / "arm.urdf")

    return from_text


def test_a_file_beside_the_model_closes_its_loops(read, poses):
    m = read(PIN)
    assert [x.name for x in m.loops] == ["pin"]
    np.testing.assert_array_equal(m.loops[0].motion.axis, (0, 1, 0))
    x = assemble(m, [-1.0, 1.0, -1.5])
    assert x.mobility == 1 and x.redundant == 3
    X = poses(m, {name: x.q[part] for name, part in m.q_slices.items()})
    np.testing.assert_allclose(X["pin/a"][:3, 3], X["rocker_end"][:3, 3], atol=1e-12)


def test_a_file_may_be_named(tmp_path):
    (tmp_path / "arm.urdf").write_text(FOUR_BAR)
    (tmp_path / "other.yaml").write_text(PIN)
    assert not load(tmp_path / "arm.urdf").loops
    assert load(tmp_path / "arm.urdf", closures=tmp_path / "other.yaml").loops
    with pytest.raises(ReadError, match=r"none\.yaml: cannot be read: No such file"):
        load(tmp_path / "arm.urdf", closures=tmp_path / "none.yaml")


TYPES = {
    "type: fixed": Fixed,
    "type: revolute, axis: [1, 0, 0]": Revolute,
    "type: prismatic, axis: [1, 0, 0]": Prismatic,
    "type: cylindrical, axis: [1, 0, 0]": Cylindrical,
    "type: universal, first: [1, 0, 0], second: [0, 0, 1]": Universal,
    "type: spherical": Spherical,
    "type: planar, axis: [1, 0, 0]": Planar,
    "type: planar_pin, axis: [1, 0, 0]": PlanarPin,
    "type: fixed_distance, length: 0.4": FixedDistance,
}


@pytest.mark.parametrize("entry", TYPES)
def test_every_type_of_closure(read, entry):
    m = read(f"- {{name: x, frame_a: coupler, frame_b: rocker_end, {entry}}}")
    motion = m.loops[0].motion
    assert type(motion) is TYPES[entry]
    if hasattr(motion, "axis"):
        np.testing.assert_array_equal(motion.axis, (1, 0, 0))
    if isinstance(motion, Universal):
        np.testing.assert_array_equal([motion.first, motion.second], [[1, 0, 0], [0, 0, 1]])
    if isinstance(motion, FixedDistance):
        assert motion.length == 0.4


def test_joints_may_be_coupled(read):
    m = read("- {name: x, type: joint_coupling, follower: b, leader: a, coefficients: [0.1, 0, 2]}")
    assert m.loops[0].motion == JointCoupling("b", "a", (0.1, 0.0, 2.0))
    m = read("- {name: x, type: joint_coupling, follower: b, coefficients: [0.1]}")
    assert m.loops[0].motion.leader is None


def test_places_turn_and_stack_on_frames(read):
    m = read(
        "- {name: x, type: fixed, frame_b: ground,"
        " frame_a: {frame: rocker_end, xyz: [1, 2, 3], rpy: [0, 0, 1.5707963267948966]}}"
    )
    pose = m.frame("x/a").pose
    assert m.frame("x/a").body == "rocker_end"
    np.testing.assert_array_equal(pose.translation, (1, 2, 3))
    np.testing.assert_allclose(pose.rotation[:, 0], (0, 1, 0), atol=1e-15)


A_AND_B = "frame_a: coupler, frame_b: rocker"
COUPLED = "name: x, type: joint_coupling, follower: b"
WRONG = {
    f"- {{{COUPLED}, leader: a}}": "coefficients must be a list of finite numbers, got nothing",
    f"- {{{COUPLED}, leader: q, coefficients: [1]}}": "no joint 'q'",
    f"- {{{COUPLED}, leader: b, coefficients: [1]}}": "follow itself",
    f"- {{{COUPLED}, frame_a: crank, coefficients: [1]}}": "joint_coupling has no 'frame_a'",
    f"- {{{COUPLED}, coefficients: [.inf]}}": "finite numbers",
    "name: pin": "must be a list of closures, or a mapping with 'closed_loop', got a mapping",
    "": "must be a list of closures, or .*, got nothing",
    "- [1, 2]": "closure 1: must hold keys name, type, frame_a, frame_b, got a list",
    f"- {{type: fixed, {A_AND_B}}}": "closure 1: 'name' must be a name, got nothing",
    f"- {{name: 3, type: fixed, {A_AND_B}}}": "'name' must be a name, got 3",
    f"- {{name: x, type: revolut, {A_AND_B}}}": "'x': unknown type.* mean 'revolute'",
    f"- {{name: x, type: revolute, {A_AND_B}}}": "needs 'axis': three numbers",
    f"- {{name: x, type: revolute, axis: [1, 0], {A_AND_B}}}": "axis must be three .* a list of 2",
    f"- {{name: x, type: revolute, axis: [0, 0, 0], {A_AND_B}}}": "axis has length zero",
    f"- {{name: x, type: revolute, axis: [.nan, 0, 0], {A_AND_B}}}": "three finite numbers",
    f"- {{name: x, type: revolute, axes: [1, 0, 0], {A_AND_B}}}": "no 'axes'. Did you mean 'axis'",
    f"- {{name: x, type: spherical, axis: [1, 0, 0], {A_AND_B}}}": "spherical .* has no 'axis'",
    f"- {{name: x, type: fixed_distance, {A_AND_B}}}": "needs 'length': a length in metres",
    f"- {{name: x, type: fixed_distance, length: -1, {A_AND_B}}}": "must be positive, got -1",
    f"- {{name: x, type: fixed_distance, length: long, {A_AND_B}}}": "must be a number, got a text",
    f"- {{name: x, type: universal, first: [1, 0, 0], second: [2, 0, 0], {A_AND_B}}}": "parallel",
    "- {name: x, type: fixed, frame_a: couper, frame_b: rocker}": "Did you mean 'coupler'",
    "- {name: x, type: fixed, frame_a: coupler}": "'frame_b' must be a name, got nothing",
    "- {name: x, type: fixed, frame_a: {xyz: [0, 0, 1]}, frame_b: rocker}": "'frame' must be",
    "- {name: x, type: fixed, frame_a: {frame: crank, xyz: 3}, frame_b: rocker}": "xyz of frame_a",
    "- {name: x, type: fixed, frame_a: rocker, frame_b: rocker}": "'rocker' to itself",
    f"- {{name: x, type: fixed, {A_AND_B}}}\n- {{name: x, type: fixed, {A_AND_B}}}": "two loops",
    f"- {{name: x, type: planar, axis: [1, 0, true], {A_AND_B}}}": "axis must be three finite",
    f"- {{name: x, type: fixed_distance, length: 1{'0' * 400}, {A_AND_B}}}": "must be a number",
    f"- {{name: x, type: planar, axis: [1{'0' * 400}, 0, 0], {A_AND_B}}}": "three finite numbers",
    "[" * 2000: "nested too deeply",
    "- {name: x\n- {name": "line 2: not well-formed YAML",
    "- !!python/object/apply:os.getcwd []": "line 1: not well-formed YAML: could not determine",
}


@pytest.mark.parametrize("closures", WRONG)
def test_what_is_wrong_is_said_with_file_and_entry(read, closures):
    with pytest.raises(PhalanxError, match=WRONG[closures]) as caught:
        read(closures)
    assert "arm.closures.yaml: " in str(caught.value)


HOSTILE = {
    # a merge of merges: 4^15 keys
    "\n".join(
        [
            "- &m0 {a: 1}",
            *(f"- &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 4)}]}}" for i in range(1, 16)),
        ]
    ): "line 8: stands for more than the 50,000 values read",
    "- &a [*a]": "line 1: 'a' holds itself",
    "- {name: x,\n   type: fixed,\n   name: y}": "line 3: 'name' comes twice",
    f"- {{name: x, type: fixed_distance, length: {'9' * 5000}, {A_AND_B}}}": "5,000 characters",
    f"- {{name: x, type: fixed_distance, length: 0x{'f' * 900}, {A_AND_B}}}": "must be a number",
    f"- {{name: x, type: fixed_distance, length: 2001-13-45, {A_AND_B}}}": "a number, got a text",
    f"- {{name: 2001-02-03, type: revolute, {A_AND_B}}}": "closure 1 '2001-02-03': .* needs 'axis'",
    "- !!timestamp 2001-13-45": "line 1: not well-formed YAML: could not determine",
    "- !!int x": "line 1: 'x' is no value of kind 'int'",
    "- 0b_": "line 1: '0b_' is no value of kind 'int'",
    "- !!bool x": "line 1: 'x' is no value of kind 'bool'",
    "- " + "{a: " * 600: "line 1: nested too deeply",
    "- [" + "1, " * 50_000 + "1]": "stands for more than",
    "- a\0": "line 1: not text: it holds a NUL",
}


@pytest.mark.parametrize("closures", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_made_to_break_a_reader_is_refused(read, closures):
    with pytest.raises(PhalanxError, match=HOSTILE[closures]) as caught:
        read(closures)
    assert "arm.closures.yaml: " in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_bomb_of_aliases_is_harmless(read):
    """Nine levels of nine: a naive array or message would hold 387 million ones."""
    layers = ["&a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    layers += [f"&a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    entry = f"frame_a: coupler, frame_b: rocker, axis: [{', '.join(layers)}]"
    with pytest.raises(ReadError, match="line 1: stands for more than"):
        read(f"- {{name: x, type: revolute, {entry}}}")


def test_text_that_is_not_utf_8_is_refused(read, tmp_path):
    read(PIN)
    (tmp_path / "arm.closures.yaml").write_bytes(b"- name: \xff\xfe")
    with pytest.raises(ReadError, match="not UTF-8"):
        load(tmp_path / "arm.urdf")

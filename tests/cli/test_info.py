from __future__ import annotations

import json

import pytest

import phalanx as px


def test_tree_joints_and_operations(run, pendulum):
    text = run("info", "pendulum.urdf").stdout
    assert "pendulum: 2 bodies, 1 moving joints, nq = 1, nv = 1, 2 kg" in text
    assert "rod 2 kg, revolute 'hinge'" in text
    hinge = next(line for line in text.splitlines() if line.startswith("hinge"))
    assert hinge.split() == ["hinge", "revolute", "0", "0", "-1", "1", "3", "10"]
    assert "inverse-dynamics" in text


def test_json(run):
    facts = json.loads(run("info", "puma560", "--json").stdout)
    counted = px.Dynamics(px.library.puma560()).operations("inverse_dynamics").total
    assert facts["nv"] == 6
    assert facts["operations"]["inverse_dynamics"]["total"] == counted
    assert facts["joints"][0]["lower"] == [None]  # no limit
    assert "tool" in facts["frames"]


SPRUNG = """<mujoco model="sprung"><worldbody><site name="hook" pos="0 0 1"/>
  <body name="arm"><joint name="pivot" axis="0 1 0" stiffness="5"/>
    <geom size="0.1" pos="0.3 0 0"/><site name="tip" pos="0.4 0 0"/></body></worldbody>
  <tendon><spatial name="coil" stiffness="80" springlength="0.9"><site site="hook"/>
    <site site="tip"/></spatial></tendon></mujoco>"""


def test_springs(run, tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "sprung.xml").write_text(SPRUNG)
    rows = [line.split() for line in run("info", "sprung.xml").stdout.splitlines()]
    assert ["pivot", "its", "joint", "5", "0", "0"] in rows
    assert ["coil", "hook", "–", "tip", "80", "0", "0.9", "0"] in rows
    facts = json.loads(run("info", "sprung.xml", "--json").stdout)
    assert facts["springs"][0]["rest_length"] == 0.9
    assert facts["joints"][0]["stiffness"] == [5.0]
    assert "springs" not in run("info", "double_pendulum").stdout


def test_loops(run):
    text = run("info", "four_bar").stdout
    pin = next(line for line in text.splitlines() if line.startswith("pin"))
    assert pin.split() == ["pin", "revolute", "coupler_end", "rocker_end", "5"]
    assert "1 of 3 degrees of freedom remain; 3 equations are redundant" in " ".join(text.split())
    facts = json.loads(run("info", "planar_3rrr", "--json").stdout)
    assert facts["freedom"] == {"mobility": 3, "redundant": 0}
    assert facts["actuated"] == ["drive_1", "drive_2", "drive_3"]
    assert facts["loops"][0]["kind"] == "planar pin"


def test_quantities_of_the_spanning_tree_are_called_so(run):
    """What the tree has stands beside what the machine has, in joints that are named."""
    lines = run("info", "four_bar").stdout.splitlines()
    quantities = {line.split()[0] for line in lines if line}
    assert {"tree-inverse-dynamics", "tree-mass-matrix", "tree-bias", "tree-gravity"} <= quantities
    assert {"reduced-inverse-dynamics", "reduced-mass-matrix"} <= quantities
    assert not quantities & {"inverse-dynamics", "mass-matrix", "bias", "gravity"}
    assert "free joints (they determine the others): crank (v 0)" in lines
    facts = json.loads(run("info", "four_bar", "--json").stdout)
    assert "mass_matrix" in facts["of_the_spanning_tree"]
    assert facts["free_velocities"] == [0]
    assert [row["loop"] for row in facts["loop_rows"]] == ["pin"] * 5
    assert "of_the_spanning_tree" not in json.loads(run("info", "double_pendulum", "--json").stdout)


def test_loops_that_do_not_close(run, pendulum, tmp_path):
    (tmp_path / "pendulum.closures.yaml").write_text(
        "- {name: tie, type: spherical, frame_a: {frame: base, xyz: [9, 0, 0]}, frame_b: rod}"
    )
    said = run("info", "pendulum.urdf", code=2).stderr
    assert len(said.strip().splitlines()) == 1
    assert "do not close" in said and "'tie' by" in said


def test_floating_base(run):
    facts = json.loads(run("info", "double_pendulum", "--floating-base", "--json").stdout)
    assert (facts["nq"], facts["nv"]) == (9, 8)


def test_picture(run, tmp_path):
    assert (
        "Picture written to arm.png"
        in run("info", "double_pendulum", "--picture", "arm.png").stderr
    )
    assert (tmp_path / "arm.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("picture", "said"), [("arm.doc", "must be one of"), ("no/arm.png", "there is no folder")]
)
def test_picture_that_cannot_be(run, picture, said):
    assert said in run("info", "double_pendulum", "--picture", picture, code=2).stderr


def test_library(run):
    text = run("library").stdout
    assert "puma560" in text
    listed = json.loads(run("library", "--json").stdout)
    assert listed["library"] == px.library.names()


FOUR_BAR = """\
<robot name="linkage">
  <link name="ground"/>
  <link name="crank"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.004"/></inertial></link>
  <link name="coupler"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.06" iyz="0" izz="0.06"/></inertial></link>
  <link name="rocker"><inertial><origin xyz="0.25 0 0"/><mass value="1.5"/>
    <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial></link>
  <joint name="crank" type="continuous"><parent link="ground"/><child link="crank"/>
    <axis xyz="0 -1 0"/></joint>
  <joint name="coupler" type="continuous"><parent link="crank"/><child link="coupler"/>
    <origin xyz="0.2 0 0" rpy="0 -0.927295 0"/><axis xyz="0 -1 0"/></joint>
  <joint name="rocker" type="continuous"><parent link="ground"/><child link="rocker"/>
    <origin xyz="0.7 0 0" rpy="0 -1.85459 0"/><axis xyz="0 -1 0"/></joint>
</robot>
"""
PIN = """\
- {name: pin, type: revolute, axis: [0, -1, 0],
   frame_a: {frame: coupler, xyz: [0.6, 0, 0]}, frame_b: {frame: rocker, xyz: [0.5, MISS, 0]}}
"""


@pytest.fixture
def linkage(tmp_path):
    """A four-bar in a file whose pin misses the plane by a distance."""

    def write(miss: str) -> str:
        (tmp_path / "linkage.urdf").write_text(FOUR_BAR)
        (tmp_path / "linkage.closures.yaml").write_text(PIN.replace("MISS", miss))
        return "linkage.urdf"

    return write


def test_what_is_closed_as_assembled_is_said(run, linkage):
    said = run("info", linkage("3.0e-8"))
    assert "second frame of 'pin' was moved by 3e-08 m" in said.stderr
    text = " ".join(said.stdout.split())
    assert "frame b moved by" in text and "3e-08 m" in text
    assert "2 of 5 loop equations are independent: smallest singular value kept 0.4" in text
    assert "largest dropped" in text and "(limit 3e-05)" in text
    closing = json.loads(run("info", "linkage.urdf", "--json").stdout)["closing"]
    assert closing["moved"]["pin"]["distance"] == pytest.approx(3e-8)
    assert (closing["equations"], closing["kept"]) == (5, 2)
    assert closing["largest_dropped"] < closing["limits"]["dropped"]
    assert closing["smallest_kept"] > closing["limits"]["kept"]
    assert closing["limits"]["distance"] == pytest.approx(0.7e-5)


@pytest.mark.parametrize(
    "words",
    [
        ("info",),
        ("simulate", "--duration", "0.01"),
        ("rollout", "--runs", "2"),
        ("evaluate", "inverse-dynamics"),
    ],
)
def test_what_is_open_ends_every_command_in_one_line(run, linkage, words):
    said = run(words[0], linkage("0.001"), *words[1:], code=2).stderr
    assert len(said.strip().splitlines()) == 1
    assert "do not close" in said and "'pin' by 0.001" in said


def test_matrices_of_longer_machines_are_not_counted(run):
    """Hundreds of joints: their matrices would take minutes to trace."""
    found = json.loads(run("info", "chain:110", "--json").stdout)["operations"]
    assert {"inverse_dynamics", "forward_dynamics"} <= set(found)
    assert "mass_matrix" not in found

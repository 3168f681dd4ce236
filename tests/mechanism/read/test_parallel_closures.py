"""Closures as published with parallel robots: a mapping of lists beside a URDF."""

import numpy as np
import pytest

from phalanx.base.errors import PhalanxError
from phalanx.cli.models import Loading, find_model
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import Fixed, Spherical, Universal
from phalanx.mechanism.read import load

INERTIAL = """<inertial><origin xyz="0.1 0.02 0"/><mass value="1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>"""


def joint(name, parent, child, x, kind="revolute"):
    return f"""<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
      <origin xyz="{x} 0 0" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/>
      <limit lower="-3" upper="3" effort="3" velocity="1"/></joint>"""


# a shaft turned by a motor, a crank beside it and a rod between the two, with marks at their ends
LINKAGE = f"""<robot name="linkage"><link name="ground"/>
  <link name="shaft">{INERTIAL}</link><link name="crank">{INERTIAL}</link>
  <link name="rod">{INERTIAL}</link><link name="lever">{INERTIAL}</link>
  <link name="crank_mark"/><link name="rod_mark"/>
  {joint("motor", "ground", "shaft", 0)}{joint("swivel", "shaft", "crank", 0.1)}
  {joint("rod_end", "crank", "rod", 0.3)}{joint("pivot", "ground", "lever", 0.35)}
  {joint("loop_A", "rod", "rod_mark", 0.4, "fixed")}
  {joint("loop_B", "lever", "crank_mark", 0.3, "fixed")}</robot>"""
PUBLISHED = """
closed_loop: [["loop_A", "loop_B"]]
type: ["3d"]
name_mot: ["motor"]
joint_name: ["rod_end", "swivel"]
joint_type: ["SPHERICAL", "UJOINT_XY"]
"""


@pytest.fixture
def read(tmp_path):
    def from_text(closures: str, name: str = "robot.yaml"):
        (tmp_path / "robot.urdf").write_text(LINKAGE)
        (tmp_path / name).write_text(closures)
        return load(tmp_path / "robot.urdf")

    return from_text


@pytest.mark.filterwarnings("ignore::phalanx.mechanism.read.ModelWarning")
def test_joints_motors_and_loops_are_those_of_the_mapping(read):
    m = read(PUBLISHED)
    assert isinstance(m.joint("rod_end").motion, Spherical)
    cardan = m.joint("swivel").motion
    assert isinstance(cardan, Universal)
    np.testing.assert_array_equal([cardan.first, cardan.second], np.eye(3)[:2])
    assert [x.name for x in m.actuated_joints] == ["motor"]
    assert m.joint("motor").effort_limit == 3
    (loop,) = m.loops
    assert (loop.name, loop.frame_a, loop.frame_b) == ("loop", "rod_mark", "crank_mark")
    assert isinstance(loop.motion, Spherical)


def test_hinges_may_stand_for_welds_and_types_may_be_left_out(read):
    m = read("closed_loop: [[rod, lever]]\njoint_name: [pivot]\njoint_type: [FIXED]\n")
    assert isinstance(m.joint("pivot").motion, Fixed) and m.nv == 3
    assert isinstance(m.loops[0].motion, Fixed)
    assert m.loops[0].name == "rod to lever"
    assert len(m.actuated_joints) == 3


@pytest.mark.parametrize(
    ("name", "others", "found"),
    [
        ("robot.yaml", [], True),
        ("arm.yaml", [], True),
        ("arm.yaml", ["other.urdf"], True),
        ("robot.yaml", ["other.urdf"], False),
        ("other.yaml", [], False),
    ],
)
def test_which_file_belongs_to_a_model(tmp_path, name, others, found):
    (tmp_path / "arm.urdf").write_text(LINKAGE)
    for other in others:
        (tmp_path / other).write_text(LINKAGE)
    (tmp_path / name).write_text(PUBLISHED)
    assert bool(load(tmp_path / "arm.urdf").loops) == found
    assert load(tmp_path / "arm.urdf", closures=tmp_path / name).loops


def test_files_of_others_are_left_alone(read):
    assert not read("controllers: {gains: [1, 2]}\n").loops
    assert not read("not: [well formed\n").loops


@pytest.mark.parametrize(
    ("kind", "cardan"),
    [
        ("3d", "UJOINT_XY"),
        ("6d", "UJOINT_XY"),
        ("6d", "UJOINT_ZX"),
        ("6d", "SPHERICAL"),
        ("3d", "FIXED"),
    ],
)
def test_freedoms_are_those_of_pinocchio(read, tmp_path, kind, cardan):
    """Rank of Pinocchio's constraint Jacobian in the posture that was found."""
    pin = pytest.importorskip("pinocchio")
    text = PUBLISHED.replace("3d", kind).replace("UJOINT_XY", cardan)
    text = text.replace('["rod_end", ', '["pivot", "rod_end", ')
    text = text.replace('["SPHERICAL", ', '["SPHERICAL", "SPHERICAL", ', 1)
    m = read(text)
    x = assemble(m)
    base = pin.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    model, placed, q = pin.Model(), {0: 0}, []
    axes = {"X": pin.JointModelRX, "Y": pin.JointModelRY, "Z": pin.JointModelRZ}
    for k in range(1, base.njoints):
        name, parent, place = base.names[k], placed[base.parents[k]], base.jointPlacements[k]
        kinds = [base.joints[k]]
        if name in ("pivot", "rod_end") or (name == "swivel" and cardan == "SPHERICAL"):
            kinds = [pin.JointModelSpherical()]
        elif name == "swivel":
            kinds = [axes[letter]() for letter in cardan[-2:]] if cardan != "FIXED" else []
        q.append(x.q[m.q_slices[name]] if name in m.q_slices else np.zeros(0))
        if not kinds:  # carried by the shaft, at neutral
            kinds, q[-1] = [pin.JointModelRZ()], np.zeros(1)
            locked = model.nv
        for number, each in enumerate(kinds):
            parent = model.addJoint(parent, each, place, f"{name}{number}")
            place = pin.SE3.Identity()
        placed[k] = parent
    ends = [base.frames[base.getFrameId(name)] for name in ("loop_A", "loop_B")]
    contact = getattr(pin.ContactType, f"CONTACT_{kind.upper()}")
    sides = [y for end in ends for y in (placed[end.parentJoint], end.placement)]
    held = pin.RigidConstraintModel(contact, model, *sides, pin.ReferenceFrame.LOCAL)
    data = model.createData()
    pin.computeJointJacobians(model, data, np.concatenate(q))
    J = pin.getConstraintsJacobian(model, data, [held], [held.createData()])
    if cardan == "FIXED":
        J = np.delete(J, locked, axis=1)
    assert J.shape[1] == m.nv
    assert x.mobility == m.nv - np.linalg.matrix_rank(J, tol=1e-6)
    # the frames meet there
    seats = [data.oMi[placed[end.parentJoint]] * end.placement for end in ends]
    apart = seats[0].inverse() * seats[1]
    np.testing.assert_allclose(apart.translation, 0, atol=1e-9)
    if kind == "6d":
        np.testing.assert_allclose(apart.rotation, np.eye(3), atol=1e-9)


WRONG = {
    "closed_loop: yes\n": "'closed_loop' must be a list of pairs",
    "closed_loop: [[loop_A]]\n": "closed_loop, pair 1: must be two names",
    "closed_loop: [[loop_A, 3]]\n": "closed_loop, pair 1: must be two names",
    "closed_loop: [[loop_A, loop_C]]\n": "pair 1: .*no joint or link 'loop_C'. Did you mean",
    "closed_loop: [[loop_A, loop_B]]\ntype: [4d]\n": "type, entry 1: must be 3d or 6d",
    "closed_loop: [[loop_A, loop_B]]\ntype: []\n": "1 pairs and 'type' 0 entries",
    "closed_loop: [[loop_A, loop_B]]\ntype: 6d\n": "'type' must be a list of names",
    "closed_loop: []\nname_mot: [moter]\n": "name_mot: .*'moter'. Did you mean 'motor'",
    "closed_loop: []\njoint_name: [pivot]\n": "joint_name has 1 entries and joint_type 0",
    "closed_loop: []\njoint_name: [pivot, pivot]\njoint_type: [FIXED, FIXED]\n": "'pivot' twice",
    "closed_loop: []\njoint_name: [gone]\njoint_type: [FIXED]\n": "joint_name: .*'gone'",
    "closed_loop: []\njoint_name: [pivot]\njoint_type: [UJOINT_XX]\n": "'pivot' is 'UJOINT_XX'",
    "closed_loop: []\njoint_name: [pivot]\njoint_type: [HELIX]\n": "'pivot' is 'HELIX'; expected",
    "closed_loop: []\njoint_name: [loop_A]\njoint_type: [SPHERICAL]\n": "which is fixed, no hinge",
    "closed_loop: []\nmotors: [motor]\n": "'motors' is no key of closures; known: closed_loop",
    "closed_loop: [[loop_A, rod_mark]]\n": "holds frame 'rod_mark' to itself",
}


@pytest.mark.parametrize("closures", WRONG)
def test_what_is_wrong_is_said_with_the_file_and_the_key(read, closures):
    with pytest.raises(PhalanxError, match=rf"robot\.yaml: .*{WRONG[closures]}"):
        read(closures)


def test_a_model_loads_without_the_closures_beside_it(tmp_path):
    file = tmp_path / "linkage.urdf"
    file.write_text(LINKAGE)
    (tmp_path / "robot.yaml").write_text("closed_loop: [[nobody, loop_B]]\ntype: [6d]\n")
    with pytest.raises(PhalanxError, match="closures=False to go without"):
        load(file)
    assert not load(file, closures=False).loops
    with pytest.raises(PhalanxError, match="closures=True names no file"):
        load(file, closures=True)


def test_the_command_line_loads_without_the_closures_beside_a_model(tmp_path):
    file = tmp_path / "linkage.urdf"
    file.write_text(LINKAGE)
    (tmp_path / "robot.yaml").write_text("closed_loop: [[nobody, loop_B]]\ntype: [6d]\n")
    with pytest.raises(PhalanxError, match=r"robot\.yaml: .*'nobody'.*--no-closures"):
        find_model(str(file))
    assert not Loading(no_closures=True).find(str(file)).loops

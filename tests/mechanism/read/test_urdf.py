import contextlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluate import close
from phalanx.base.errors import InvalidModel, PhalanxError, ReadError
from phalanx.mechanism import Box, Capsule, Cylinder, Mechanism, Mesh, Sphere
from phalanx.mechanism.inertia import joints_without_inertia
from phalanx.mechanism.read import ModelWarning, load

SOLID = """<inertial><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"""
EMPTY = '<robot name="r">{}</robot>'
TWO = (
    '<robot name="r"><link name="a"/><link name="b">' + SOLID + "</link>"
    '<joint name="j" type="{}"><parent link="a"/><child link="b"/>{}</joint>{}</robot>'
)


@pytest.fixture
def read(tmp_path):
    def from_text(text: str) -> Mechanism:
        file = tmp_path / "model.urdf"
        file.write_text(text)
        return load(file)

    return from_text


# -- joints --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "nq", "nv"),
    [
        ("fixed", 0, 0),
        ("revolute", 1, 1),
        ("continuous", 1, 1),
        ("prismatic", 1, 1),
        ("planar", 3, 3),
        ("floating", 7, 6),
    ],
)
def test_every_joint_type(read, kind, nq, nv):
    m = read(TWO.format(kind, '<axis xyz="0 0 2"/>', ""))
    assert m.joints[0].motion.kind == kind
    assert (m.nq, m.nv) == (nq, nv)


def test_axis_defaults_to_x(read):
    np.testing.assert_array_equal(
        read(TWO.format("revolute", "", "")).joints[0].motion.axis, (1, 0, 0)
    )


def test_limits_and_dynamics(read):
    inside = """<limit lower="-1" upper="2" velocity="3" effort="4"/>
                <dynamics damping="0.5" friction="0.25"/>"""
    joint = read(TWO.format("revolute", inside, "")).joints[0]
    numbers = [joint.lower, joint.upper, joint.velocity_limit, joint.effort_limit]
    assert [float(x[0]) for x in numbers] == [-1, 2, 3, 4]
    assert (joint.damping[0], joint.friction[0]) == (0.5, 0.25)


def test_limits_that_are_not_given(read):
    free = read(TWO.format("prismatic", "", "")).joints[0]
    assert free.lower[0] == -np.inf and free.upper[0] == np.inf
    half = read(TWO.format("revolute", '<limit upper="1" effort="inf"/>', "")).joints[0]
    assert (half.lower[0], half.upper[0], half.effort_limit[0]) == (0, 1, np.inf)
    turning = read(TWO.format("continuous", '<limit lower="0" upper="0" effort="7"/>', "")).joints[
        0
    ]
    assert (turning.lower[0], turning.effort_limit[0]) == (-np.inf, 7)


def test_gear_ratio_comes_from_the_transmission(read):
    ratio = """<transmission name="t"><type>simple</type><joint name="j"/><actuator name="m">
      <mechanicalReduction>-160</mechanicalReduction></actuator></transmission>"""
    assert read(TWO.format("revolute", "", ratio)).joints[0].gear_ratio[0] == -160
    differential = ratio.replace('<joint name="j"/>', '<joint name="j"/><joint name="k"/>')
    assert read(TWO.format("revolute", "", differential)).joints[0].gear_ratio[0] == 1


def test_mimic_may_name_a_joint_that_comes_later(read):
    follower = (
        '<link name="c">' + SOLID + '</link><joint name="k" type="revolute">'
        '<parent link="b"/><child link="c"/></joint>'
    )
    mimic = '<mimic joint="k" multiplier="-2" offset="0.5"/>'
    m = read(TWO.format("revolute", mimic, follower))
    assert m.nv == 1
    assert m.joint("j").mimic.leader == "k"
    assert (m.joint("j").mimic.multiplier, m.joint("j").mimic.offset) == (-2, 0.5)


def test_a_fixed_joint_has_nothing_to_mimic(read):
    assert read(TWO.format("fixed", '<mimic joint="j"/>', "")).nv == 0


# -- links ---------------------------------------------------------------------------------------


def test_inertia_is_turned_into_body_axes(read):
    quarter = f"{np.pi / 2:.15g}"
    m = read(
        EMPTY.format(
            f"""<link name="a"><inertial><origin xyz="1 2 3" rpy="0 0 {quarter}"/>
            <mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>
            </inertial></link>"""
        )
    )
    body = m.bodies[0]
    assert body.mass == 2
    np.testing.assert_array_equal(body.com, (1, 2, 3))
    np.testing.assert_allclose(body.inertia, np.diag([2, 1, 2.5]))


def test_shapes_and_colours(read):
    shapes = "".join(
        f'<visual><origin xyz="0 0 {i}"/><geometry>{shape}</geometry>{material}</visual>'
        for i, (shape, material) in enumerate(
            [
                ('<box size="1 2 3"/>', '<material name="red"/>'),
                ('<sphere radius="1"/>', '<material name="x"><color rgba="0 1 0 0.5"/></material>'),
                ('<cylinder radius="1" length="2"/>', '<material name="x"/>'),
                ('<capsule radius="1" length="2"/>', ""),
            ]
        )
    )
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    visuals = read(EMPTY.format(f'<link name="a">{shapes}</link>{red}')).bodies[0].visuals
    shapes = [visual.geometry for visual in visuals]
    assert shapes == [Box((1, 2, 3)), Sphere(1), Cylinder(1, 2), Capsule(1, 2)]
    assert [v.pose.translation[2] for v in visuals] == [0, 1, 2, 3]
    green = (0, 1, 0, 0.5)
    assert [v.colour for v in visuals[:3]] == [(1, 0, 0, 1), green, green]


def test_inertias_that_no_body_has_are_used_and_reported(read):
    text = TWO.format("revolute", "", "").replace('izz="1"', 'izz="3"')
    with pytest.warns(ModelWarning, match="no body can have.*: b"):
        m = read(text)
    assert not m.body("b").physical and m.body("b").inertia[2, 2] == 3


def test_a_negative_moment_that_moves_is_refused(read):
    text = TWO.format("revolute", "", "").replace('izz="1"', 'izz="-0.1"')
    with pytest.raises(InvalidModel, match=r"model\.urdf: .*'b'.*negative principal moment"):
        read(text)


def test_a_negative_moment_that_its_carrier_makes_up_for_is_reported(read):
    sensor = (
        '<link name="c">' + SOLID.replace('izz="1"', 'izz="-0.1"') + "</link>"
        '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>'
    )
    with pytest.warns(ModelWarning, match="no body can have.*: c"):
        read(TWO.format("revolute", "", sensor))


def test_moving_bodies_without_mass_are_reported(read):
    between = TWO.format(
        "revolute",
        "",
        '<link name="m"/>'
        '<joint name="k" type="revolute"><parent link="m"/><child link="b"/></joint>',
    ).replace('<child link="b"/>', '<child link="m"/>', 1)
    with pytest.warns(ModelWarning, match="without a mass.*: m"):
        assert read(between).nv == 2


def test_a_moving_leaf_without_mass_has_kinematics_and_no_accelerations(read):
    with pytest.warns(ModelWarning, match="without a mass.*: b"):
        m = read(TWO.format("revolute", "", "").replace(SOLID, ""))
    assert m.nv == 1 and joints_without_inertia(m) == ("j",)


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (r"joint 'j' has <axis> 2 times", TWO.format("revolute", '<axis xyz="0 1 0"/>' * 2, "")),
        (r"link 'b' has <inertial> 2 times", TWO.format("fixed", "", "").replace(SOLID, SOLID * 2)),
        (r"<origin xzy=…>; did you mean 'xyz'", TWO.format("fixed", '<origin xzy="1 0 0"/>', "")),
        (r"has <limits>; did you mean 'limit'", TWO.format("revolute", '<limits lower="0"/>', "")),
        (r"<limit efort=…>; did .*'effort'", TWO.format("revolute", '<limit efort="0"/>', "")),
        (
            r"has <inertal>; did you mean 'iner",
            TWO.format("fixed", "", "").replace("inertial", "inertal"),
        ),
        ("root element is <sdf>", "<sdf/>"),
        ("'j' is of type 'screw'; URDF has revolute", TWO.format("screw", "", "")),
        ("no attribute 'name'", EMPTY.format("<link/>")),
        ("'j'.*no <parent>", EMPTY.format('<joint name="j" type="fixed"/>')),
        ("'j'.*axis of length zero", TWO.format("revolute", '<axis xyz="0 0 0"/>', "")),
        ("'j'.*should be 3 number.*'0 1'", TWO.format("revolute", '<axis xyz="0 1"/>', "")),
        ("'j'.*got '0 nan 0'", TWO.format("revolute", '<origin xyz="0 nan 0"/>', "")),
        ("'j'.*'0 0 inf'", TWO.format("revolute", '<origin rpy="0 0 inf"/>', "")),
        ("'j'.*'1,5'", TWO.format("revolute", '<dynamics damping="1,5"/>', "")),
        ("'j'.*nan", TWO.format("revolute", '<limit effort="nan"/>', "")),
        ("xacro", TWO.format("revolute", '<origin xyz="${x} 0 0"/>', "")),
        ("Did you mean", TWO.format("fixed", "", "").replace('child link="b"', 'child link="bb"')),
        ("no joint 'k'", TWO.format("revolute", '<mimic joint="k"/>', "")),
        (
            "'a'.*empty <geometry>",
            EMPTY.format('<link name="a"><visual><geometry/></visual></link>'),
        ),
        (
            "'a'.*<torus>",
            EMPTY.format('<link name="a"><visual><geometry><torus/></geometry></visual></link>'),
        ),
        ("'a'.*no <mass>", EMPTY.format('<link name="a"><inertial/></link>')),
        (
            "'a'.*no attribute 'ixx'",
            EMPTY.format('<link name="a"><inertial><mass value="1"/><inertia/></inertial></link>'),
        ),
    ],
)
def test_what_cannot_be_read_is_named(read, reason, text):
    with pytest.raises(ReadError, match=rf"model\.urdf: .*{reason}"):
        read(text)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("no bodies", EMPTY.format("")),
        ("two bodies named 'a'", EMPTY.format('<link name="a"/><link name="a"/>')),
        ("2 roots", EMPTY.format('<link name="a"/><link name="b"/>')),
        ("negative mass", TWO.format("fixed", "", "").replace('"1"/>\n', '"-1"/>\n', 1)),
        ("damping of joint 'j'.*negative", TWO.format("revolute", '<dynamics damping="-1"/>', "")),
        ("in a cycle: j → j", TWO.format("revolute", '<mimic joint="j"/>', "")),
    ],
)
def test_what_contradicts_mechanics_is_named(read, reason, text):
    with pytest.raises(InvalidModel, match=rf"model\.urdf: .*{reason}"):
        read(text)


# -- published robots ----------------------------------------------------------------------------


# why a file of the corpus has no equations of motion, and at most these fail
def test_more_bodies_than_anybody_means_are_refused(read):
    with pytest.raises(ReadError, match=r"model\.urdf: 20,001 bodies, more than the 20,000 read"):
        read(EMPTY.format('<link name="a"/>' * 20_001))


REASONS = {
    "alex_psyonic_hands.urdf": "has no joint 'index_q1'",
    "romeo_laas_small.urdf": "negative principal moment",
    "ur3.urdf": "has no bodies",
}


@pytest.mark.filterwarnings("ignore::phalanx.mechanism.read.ModelWarning")
def test_published_robots_load_as_pinocchio_reads_them(robots: Path, poses):
    pin = pytest.importorskip("pinocchio")
    files = sorted(robots.rglob("*.urdf"))
    assert len(files) >= 60
    failed = {}
    for file in files:
        try:
            mechanism = load(file)
            merged = load(file, merge_fixed=True)
        except PhalanxError as error:
            failed[file.name] = str(error)
            continue
        theirs = pin.buildModelFromUrdf(str(file))
        _compare(pin, mechanism, merged, theirs, poses)
    for name, message in failed.items():
        assert REASONS[name] in message
    assert len(files) - len(failed) >= 60


def _compare(pin, mechanism, merged, theirs, poses):
    # Pinocchio gives mimics coordinates of their own; continuous joints are cos and sin there
    assert sum(joint.motion.nv for joint in mechanism.joints) == theirs.nv
    total = sum(inertia.mass for inertia in theirs.inertias)
    assert sum(body.mass for body in mechanism.bodies) == pytest.approx(total)

    rng = np.random.default_rng(0)
    at, q = {}, pin.neutral(theirs)
    for joint in mechanism.moving_joints:
        if joint.motion.nv == 1:
            at[joint.name] = rng.uniform(-1, 1, 1)
    for joint in mechanism.joints:
        if joint.motion.nv != 1:
            continue
        value = at.get(joint.name)
        if value is None:
            value = joint.mimic.multiplier * at[joint.mimic.leader] + joint.mimic.offset
        model = theirs.joints[theirs.getJointId(joint.name)]
        angle = float(value[0])
        q[model.idx_q : model.idx_q + model.nq] = (
            [angle] if model.nq == 1 else [np.cos(angle), np.sin(angle)]
        )
    data = theirs.createData()
    pin.framesForwardKinematics(theirs, data, q)
    ours = poses(mechanism, at)
    for body in mechanism.bodies:
        place = data.oMf[theirs.getFrameId(body.name, pin.FrameType.BODY)]
        # angles printed as 1.5708 leave 1 - 7e-12, which a pose takes for 1
        np.testing.assert_allclose(ours[body.name], place.homogeneous, atol=1e-8)

    for joint in merged.joints:
        lump, other = merged.body(joint.child), theirs.inertias[theirs.getJointId(joint.name)]
        assert lump.mass == pytest.approx(other.mass)
        np.testing.assert_allclose(lump.mass * lump.com, other.mass * other.lever, atol=1e-8)
        np.testing.assert_allclose(lump.inertia, other.inertia, atol=1e-8)


def test_a_floating_root_keeps_its_inertia(robots: Path):
    pin = pytest.importorskip("pinocchio")
    file = robots / "solo_description" / "robots" / "solo12.urdf"
    free = load(file, floating_base=True, merge_fixed=True)
    theirs = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    assert (free.nq, free.nv) == (theirs.nq, theirs.nv)
    root = free.bodies[1]
    assert root.mass == pytest.approx(theirs.inertias[1].mass)
    np.testing.assert_allclose(root.inertia, theirs.inertias[1].inertia, atol=1e-10)


JUNK = ["", "-1", "0 0 0", "nan", "1e999", "b", "fixed", "../../x", "package://[", "1 2 3 4 5", "é"]


@pytest.mark.filterwarnings("ignore::phalanx.mechanism.read.ModelWarning")
@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_changed_in_a_file_is_read_or_refused(tmp_path, data):
    """No change of a file gets past the reader as another exception."""
    visual = '<visual><geometry><mesh filename="m.stl"/></geometry></visual>'
    limit = '<limit lower="-1" upper="1"/><axis xyz="0 0 1"/><origin xyz="0 0 1" rpy="0 1 0"/>'
    text = TWO.format("revolute", limit, "").replace("</link>", visual + "</link>")
    root = ElementTree.fromstring(text)
    for _ in range(data.draw(st.integers(1, 3))):
        element = data.draw(st.sampled_from(list(root.iter())))
        change = data.draw(st.sampled_from(["junk", "drop", "empty", "double"]))
        if change == "junk" and element.attrib:
            key = data.draw(st.sampled_from(sorted(element.attrib)))
            element.set(key, data.draw(st.sampled_from(JUNK)))
        elif change == "drop":
            element.attrib.clear()
        elif change == "empty":
            element.clear()
        else:
            element.extend(list(element))
    file = tmp_path / "changed.urdf"
    file.write_bytes(ElementTree.tostring(root))
    with contextlib.suppress(PhalanxError):
        load(file)


def test_a_limit_without_a_range_is_remarked(read):
    shut = TWO.format("revolute", '<limit effort="3" velocity="1"/>', "")
    with pytest.warns(ModelWarning, match="from 0 to 0 or left out, which is taken as no limit: j"):
        joint = read(shut).joints[0]
    assert joint.lower == -np.inf and joint.upper == np.inf
    assert joint.effort_limit == 3 and joint.velocity_limit == 1


def test_an_effort_or_a_velocity_of_zero_is_none_stated(read):
    zero = TWO.format("revolute", '<limit lower="-1" upper="1" effort="0" velocity="0"/>', "")
    with pytest.warns(ModelWarning) as told:
        joint = read(zero).joints[0]
    assert [str(w.message).split(": ", 1)[1] for w in told] == [
        "effort limits of joints are 0, which is taken as none stated: j.",
        "velocity limits of joints are 0, which is taken as none stated: j.",
    ]
    assert joint.effort_limit == joint.velocity_limit == np.inf
    assert joint.lower == -1 and joint.upper == 1


# -- what others load too --------------------------------------------------------------------------


def test_a_mass_without_an_inertia_is_a_point(read):
    point = '<inertial><origin xyz="0 0 2"/><mass value="3"/></inertial>'
    with pytest.warns(ModelWarning, match=r"no <inertia>, taken as point masses: b\."):
        m = read(TWO.format("revolute", "", "").replace(SOLID, point))
    assert m.body("b").mass == 3
    close(m.body("b").com, [0, 0, 2], 0)
    close(m.body("b").inertia, np.zeros((3, 3)), 0)


@pytest.mark.parametrize("visual", ["", "<geometry><drake:ellipsoid/></geometry>"])
def test_shapes_of_others_are_not_drawn(read, visual):
    text = TWO.format("fixed", "", "")
    with pytest.warns(ModelWarning, match=r"that URDF does not have are not drawn: b\."):
        m = read(text.replace(SOLID, f"{SOLID}<visual>{visual}</visual>"))
    assert not m.body("b").visuals


def test_one_scale_is_for_all_axes(tmp_path, read):
    (tmp_path / "rod.stl").write_text("solid")
    mesh = '<visual><geometry><mesh filename="rod.stl" scale="0.5"/></geometry></visual>'
    (visual,) = read(TWO.format("fixed", "", "").replace(SOLID, SOLID + mesh)).body("b").visuals
    assert visual.geometry == Mesh((tmp_path / "rod.stl").resolve(), (0.5, 0.5, 0.5))


def test_closures_of_others_are_named(read):
    loop = '<loop_joint name="pin" type="revolute"/>'
    with pytest.warns(ModelWarning, match=r"closures .* are left out: pin\."):
        assert read(TWO.format("revolute", "", loop)).nv == 1


def test_a_joint_without_an_axis_may_have_one_that_is_misspelt(read):
    assert read(TWO.format("fixed", '<axis xzy="0 0 1"/>', "")).nv == 0
    with pytest.raises(ReadError, match="did you mean 'xyz'"):
        read(TWO.format("revolute", '<axis xzy="0 0 1"/>', ""))


def test_rotors_are_read_where_the_prefix_is_not_declared(read):
    drive = '<transmission><joint name="j"/><drake:rotor_inertia value="2e-4"/></transmission>'
    text = TWO.format("revolute", "", drive)
    declared = text.replace("<robot", '<robot xmlns:drake="http://drake.mit.edu"')
    assert read(text).joint("j").rotor_inertia == read(declared).joint("j").rotor_inertia == 2e-4


def test_who_mimics_nobody_is_told_what_to_mend(read):
    with pytest.raises(ReadError, match=r"no joint 'jj', which joint 'j' mimics.*Mend its <mimic>"):
        read(TWO.format("revolute", '<mimic joint="jj"/>', ""))


def test_limits_the_wrong_way_round_are_none(read):
    limit = '<limit lower="1" upper="-1" effort="2"/>'
    with pytest.warns(ModelWarning, match=r"lower above upper.*no end stops: j\."):
        joint = read(TWO.format("revolute", limit, "")).joint("j")
    assert (joint.lower, joint.upper, joint.effort_limit) == (-np.inf, np.inf, 2)


def test_products_of_inertia_may_be_left_out(read):
    text = TWO.format("revolute", "", "").replace('ixy="0" ', "")
    with pytest.warns(ModelWarning, match=r"products of inertia .*zero: b\."):
        close(read(text).body("b").inertia, np.eye(3), 0)

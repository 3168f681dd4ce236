"""SDF: the same machines as in other formats, frames of every kind, cycles, and what is refused."""

import numpy as np
import pytest

import phalanx as px
from evaluate import close
from phalanx.base.errors import PhalanxError, ReadError
from phalanx.mechanism import Fixed, Mechanism, Mesh, Screw, Spherical, Universal
from phalanx.mechanism.read import ModelWarning, load

INERTIAL = """<inertial><pose>0.1 0.02 0.03 0.1 0.2 0.3</pose><mass>1.5</mass>
  <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.025</izz><ixy>0.001</ixy></inertia></inertial>"""


def sdf(model: str, version: str = "1.9", name: str = "arm") -> str:
    return f'<sdf version="{version}"><model name="{name}">{model}</model></sdf>'


def link(name: str, pose: str = "", more: str = "") -> str:
    return f'<link name="{name}">{pose}{INERTIAL}{more}</link>'


def joint(name: str, parent: str, child: str, axis: str = "0 1 0", more: str = "", kind="revolute"):
    return f"""<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>
      <axis><xyz>{axis}</xyz></axis>{more}</joint>"""


@pytest.fixture
def read(tmp_path):
    def from_text(text: str, **options) -> Mechanism:
        file = tmp_path / "arm.sdf"
        file.write_text(text)
        return load(file, **options)

    return from_text


# -- the same machine ------------------------------------------------------------------------------

URDF = """<robot name="arm"><link name="world"/>{links}
  <joint name="a" type="revolute"><parent link="world"/><child link="upper"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.3 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="7" velocity="3"/><dynamics damping="0.4" friction="0.1"/>
  </joint>
  <joint name="b" type="prismatic"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.5 0 0.1" rpy="0 0.4 0"/><axis xyz="1 0 0"/></joint></robot>"""
URDF_LINK = """<link name="{}"><inertial><origin xyz="0.1 0.02 0.03" rpy="0.1 0.2 0.3"/>
  <mass value="1.5"/><inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0" iyz="0"/>
  </inertial></link>"""
LIMITS = """<limit><lower>-1</lower><upper>2</upper><effort>7</effort><velocity>3</velocity></limit>
  <dynamics><damping>0.4</damping><friction>0.1</friction></dynamics>"""


def arm(lower_pose: str, axis: str = "<xyz>1 0 0</xyz>", version: str = "1.9", more: str = ""):
    first = f"""<joint name="a" type="revolute"><parent>world</parent><child>upper</child>
      <axis><xyz>0 1 0</xyz>{LIMITS}</axis></joint>"""
    second = f"""<joint name="b" type="prismatic"><parent>upper</parent><child>lower</child>
      <axis>{axis}</axis></joint>"""
    upper = link("upper", "<pose>0.1 0.2 0.3 0.3 0 0</pose>")
    return sdf(upper + link("lower", lower_pose) + first + second + more, version)


# where the lower link is: 0.5 0 0.1 and a turn of 0.4 about y, as the upper one sees it
PLACES = {
    "relative": arm('<pose relative_to="upper">0.5 0 0.1 0 0.4 0</pose>'),
    "degrees": arm(
        f'<pose relative_to="upper" degrees="true">0.5 0 0.1 0 {np.degrees(0.4)} 0</pose>'
    ),
    "quaternion": arm(
        '<pose relative_to="upper" rotation_format="quat_xyzw">0.5 0 0.1 '
        f"0 {np.sin(0.2)} 0 {np.cos(0.2)}</pose>"
    ),
    "through a frame": arm(
        '<pose relative_to="elbow">0.1 0 0 0 0 0</pose>',
        more='<frame name="elbow" attached_to="upper"><pose>'
        f"{0.5 - 0.1 * np.cos(0.4)} 0 {0.1 + 0.1 * np.sin(0.4)} 0 0.4 0</pose></frame>",
    ),
    "axis in another frame": arm(
        '<pose relative_to="upper">0.5 0 0.1 0 0.4 0</pose>',
        f'<xyz expressed_in="upper">{np.cos(0.4)} 0 {-np.sin(0.4)}</xyz>',
    ),
    "before 1.7": arm('<pose frame="upper">0.5 0 0.1 0 0.4 0</pose>', version="1.6"),
}


@pytest.mark.parametrize("place", PLACES)
def test_an_arm_is_that_of_its_urdf(read, tmp_path, place):
    (tmp_path / "arm.urdf").write_text(
        URDF.format(links=URDF_LINK.format("upper") + URDF_LINK.format("lower"))
    )
    ours, theirs = read(PLACES[place]), load(tmp_path / "arm.urdf")
    assert [x.name for x in ours.moving_joints] == ["a", "b"]
    for key in ("lower", "upper", "effort_limit", "velocity_limit", "damping", "friction"):
        assert getattr(ours.joint("a"), key) == getattr(theirs.joint("a"), key)
    q, v, a = np.random.default_rng(0).standard_normal((3, 2))
    mine, other = px.Dynamics(ours), px.Dynamics(theirs)
    close(mine.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a), 1e-12)
    close(
        mine.forward_kinematics(q, frame="lower"), other.forward_kinematics(q, frame="lower"), 1e-12
    )


def test_axes_were_in_the_model_s_frame_until_version_1_4(read):
    """The upper link is turned by 0.3 about x; its joint turns about the model's y all the same."""
    axis = "<xyz>0 1 0</xyz>"
    turned = link("upper", "<pose>0 0 0 0.3 0 0</pose>")
    text = f"""{turned}<joint name="a" type="revolute"><parent>world</parent><child>upper</child>
      <axis>{axis}</axis></joint>"""
    in_joint = np.array([0, np.cos(0.3), -np.sin(0.3)])
    close(read(sdf(text, "1.4")).joint("a").motion.axis, in_joint, 1e-12)
    close(read(sdf(text, "1.5")).joint("a").motion.axis, np.array([0.0, 1, 0]), 0)
    flag = axis + "<use_parent_model_frame>true</use_parent_model_frame>"
    close(read(sdf(text.replace(axis, flag), "1.6")).joint("a").motion.axis, in_joint, 1e-12)


def test_a_joint_may_stand_beside_its_link(read):
    """A hinge at the far end of a rod: the rod's own frame moves on a circle about it."""
    hinge = joint("a", "world", "rod", more="<pose>0.4 0 0 0 0 0</pose>")
    m = read(sdf(link("rod", "<pose>0 0 1 0 0 0</pose>") + hinge))
    d = px.Dynamics(m)
    X = d.forward_kinematics(np.array([0.3]), frame="rod")
    close(X[:3, 3], [0.4 - 0.4 * np.cos(0.3), 0, 1 + 0.4 * np.sin(0.3)], 1e-12)
    close(d.forward_kinematics(np.array([0.3]), frame="a")[:3, 3], [0.4, 0, 1], 1e-12)


# -- joints ----------------------------------------------------------------------------------------


def test_every_kind_of_joint(read):
    two = "<axis2><xyz>0 0 1</xyz><limit><upper>0.5</upper></limit></axis2>"
    kinds = {
        "universal": joint("j", "world", "rod", "1 0 0", two, "universal"),
        "revolute2": joint("j", "world", "rod", "1 0 0", two, "revolute2"),
        "ball": joint("j", "world", "rod", kind="ball"),
        "fixed": joint("j", "world", "rod", kind="fixed"),
        "screw": joint(
            "j", "world", "rod", more="<screw_thread_pitch>0.01</screw_thread_pitch>", kind="screw"
        ),
    }
    found = {kind: read(sdf(link("rod") + text)).joint("j") for kind, text in kinds.items()}
    for kind in ("universal", "revolute2"):
        assert isinstance(found[kind].motion, Universal)
        assert found[kind].upper.tolist() == [np.inf, 0.5]
    assert isinstance(found["ball"].motion, Spherical)
    assert isinstance(found["fixed"].motion, Fixed)
    screw = found["screw"].motion
    assert isinstance(screw, Screw) and screw.pitch == pytest.approx(0.01 / (2 * np.pi))
    old = kinds["screw"].replace("screw_thread_pitch>", "thread_pitch>").replace("0.01", "-500")
    assert read(sdf(link("rod") + old)).joint("j").motion.pitch == pytest.approx(1 / 500)


def test_springs_endless_limits_and_followers(read):
    spring = """<dynamics><spring_stiffness>5</spring_stiffness>
      <spring_reference>0.2</spring_reference></dynamics>
      <limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort></limit>"""
    first = joint("a", "world", "one").replace("</axis>", f"{spring}</axis>")
    follows = """<mimic joint="a"><multiplier>2</multiplier><offset>0.3</offset>
      <reference>0.1</reference></mimic>"""
    second = joint("b", "one", "two").replace("</axis>", f"{follows}</axis>")
    m = read(sdf(link("one") + link("two") + first + second))
    a, mimic = m.joint("a"), m.joint("b").mimic
    assert (a.stiffness, a.rest) == ([5], [0.2])
    assert a.lower == -np.inf and a.upper == np.inf and a.effort_limit == np.inf
    # q_b = 2 (q_a - 0.1) + 0.3
    assert (mimic.leader, mimic.multiplier, mimic.offset) == ("a", 2, pytest.approx(0.1))


GEARBOX = """<joint name="gear" type="gearbox"><parent>{}</parent><child>{}</child>
  <gearbox_reference_body>rod</gearbox_reference_body><gearbox_ratio>3</gearbox_ratio>
  <axis><xyz>0 1 0</xyz></axis><axis2><xyz>{}</xyz></axis2></joint>"""


@pytest.mark.parametrize(
    ("second", "axis", "gear", "ratio"),
    [
        # wheels on one rod turn against each other, however their hinges are written
        (("rod", "other"), "0 1 0", "0 1 0", -3),
        (("rod", "other"), "0 -1 0", "0 1 0", 3),
        (("other", "rod"), "0 1 0", "0 1 0", 3),
        (("rod", "other"), "0 1 0", "0 -1 0", 3),
    ],
)
def test_a_gearbox_is_a_ratio_of_two_hinges(read, second, axis, gear, ratio):
    text = link("rod") + link("wheel") + link("other") + joint("a", "world", "rod")
    text += joint("b", "rod", "wheel") + joint("c", *second, axis)
    m = read(sdf(text + GEARBOX.format("wheel", "other", gear)))
    assert m.nv == 2 and (m.joint("c").mimic.leader, m.joint("c").mimic.multiplier) == ("b", ratio)
    with pytest.raises(ReadError, match="'gear' has an <axis2> that is not that of joint 'c'"):
        read(sdf(text + GEARBOX.format("wheel", "other", "1 0 0")))


# -- cycles ----------------------------------------------------------------------------------------


def four_bar(dynamics: str = "") -> str:
    """Four bars, laid out flat; the coupler reaches as far as the rocker's end."""
    place = "<pose>{} 0 0 0 0 0</pose>"

    def hinge(name, parent, child, more=""):
        text = joint(name, parent, child, more=more)
        return text.replace("</axis>", f"{dynamics}</axis>")

    return sdf(
        link("crank")
        + link("coupler", place.format(0.2))
        + link("rocker", place.format(0.7))
        + hinge("a", "world", "crank")
        + hinge("b", "crank", "coupler")
        + hinge("c", "world", "rocker")
        + '<frame name="end" attached_to="rocker"><pose>0.5 0 0 0 0 0</pose></frame>'
        + hinge("d", "coupler", "rocker", '<pose relative_to="end"/>')
    )


DAMPED = "<dynamics><damping>0.2</damping></dynamics>"


def test_a_joint_that_closes_a_cycle_is_a_loop(read):
    m = read(four_bar())
    assert [x.name for x in m.loops] == ["d"] and m.nv == 3
    x = px.assemble(m, [0.3, -0.6, 0.4])
    assert x.mobility == 1 and x.redundant == 3


def test_joints_that_may_not_be_cut_close_by_a_twin(read):
    """With damping in every joint, all four angles are coordinates; without, motion is the same."""
    free, damped = read(four_bar()), read(four_bar(DAMPED))
    assert damped.nv == 4 and {x.name for x in damped.moving_joints} == set("abcd")
    x = px.assemble(free, [0.3, -0.6, 0.4], [1.0, 0.0, 0.0], held=["a"])
    start = dict(zip((j.name for j in free.moving_joints), x.q, strict=True))
    guess = [start.get(j.name, 0.0) for j in damped.moving_joints]
    names = [j.name for j in damped.moving_joints]
    first = np.eye(4)[names.index("a")]
    y = px.assemble(damped, guess, first, held=["a"])
    assert y.mobility == 1 and px.Dynamics(damped).singular_joints == ()
    a = px.Dynamics(free).forward_dynamics(x.q, x.v, np.zeros(3))
    b = px.Dynamics(damped).forward_dynamics(y.q, y.v, np.zeros(4))
    for k, j in enumerate(free.moving_joints):
        assert b[names.index(j.name)] == pytest.approx(a[k], rel=1e-7, abs=1e-7)


def test_joints_had_names_of_links_before_version_1_7(read):
    m = read(sdf(link("rod", "<pose>0 0 1 0 0 0</pose>") + joint("rod", "world", "rod"), "1.6"))
    assert m.joint("rod").child == "rod" and m.frame("rod/joint").body == "rod"


def test_scenery_does_not_move(read):
    m = read(sdf("<static>true</static>" + link("a", "<pose>0 0 1 0 0 0</pose>") + link("b")))
    assert m.nv == 0 and len(m.bodies) == 3
    close(px.Dynamics(m).forward_kinematics(np.zeros(0), frame="a")[:3, 3], [0, 0, 1], 0)


# -- worlds, bases, looks --------------------------------------------------------------------------


def test_a_model_without_a_joint_to_the_world_stands_or_floats(read):
    text = sdf(
        "<pose>0 0 1 0 0.5 0</pose>" + link("base", "<pose>0.1 0 0 0 0 0</pose>") + link("rod")
    ).replace("</model>", joint("a", "base", "rod") + "</model>")
    m = read(text)
    assert m.bodies[0].name == "arm" and m.nv == 1
    # gravity falls in the world, and the model is turned in it
    close(m.gravity, [9.81 * np.sin(0.5), 0, -9.81 * np.cos(0.5)], 1e-12)
    assert read(text, floating_base=True).nv == 7


def test_worlds_have_a_gravity_and_names_of_their_own(read):
    model = f'<model name="arm">{link("rod")}{joint("a", "world", "rod")}</model>'
    world = f'<sdf version="1.7"><world name="w"><gravity>0 0 -1.62</gravity>{model}</world></sdf>'
    close(read(world).gravity, [0, 0, -1.62], 0)
    old = world.replace('"1.7"', '"1.5"').replace("<gravity>", "<physics><gravity>")
    close(read(old.replace("</gravity>", "</gravity></physics>")).gravity, [0, 0, -1.62], 0)
    with pytest.raises(ReadError, match=r"two parts named 'arm'"):
        read(world.replace(model, model * 2))
    with pytest.raises(ReadError, match=r"holds 2 models.*'arm', 'arm'.*file of its own"):
        read(f'<sdf version="1.5">{model * 2}</sdf>')


def test_links_without_an_inertial_weigh_what_the_format_says(read):
    with pytest.warns(ModelWarning, match="SDF gives 1 kg and 1 kg·m²: rod"):
        m = read(sdf('<link name="rod"/>' + joint("a", "world", "rod")))
    body = m.body("rod")
    assert body.mass == 1
    close(body.inertia, np.eye(3), 0)


def test_meshes_are_found_in_the_model_s_folder_only(tmp_path):
    folder = tmp_path / "robot"
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "rod.stl").write_text("solid")
    (tmp_path / "secret.stl").write_text("solid")

    def model(uri):
        shape = f"<mesh><uri>{uri}</uri><scale>2 2 2</scale></mesh>"
        visual = f"""<visual name="v"><pose>0 0 1 0 0 0</pose><geometry>{shape}</geometry>
          <material><diffuse>1 0 0</diffuse></material></visual>"""
        (folder / "model.sdf").write_text(
            sdf(link("rod", more=visual) + joint("a", "world", "rod"))
        )
        return load(folder / "model.sdf").body("rod").visuals

    for uri in ("model://robot/meshes/rod.stl", "meshes/rod.stl"):
        (visual,) = model(uri)
        assert visual.geometry == Mesh((folder / "meshes" / "rod.stl").resolve(), (2, 2, 2))
        assert visual.colour == (1, 0, 0, 1)
        close(visual.pose.translation, [0, 0, 1], 0)
    for uri in ("model://robot/../secret.stl", "../secret.stl", "/etc/passwd"):
        with pytest.warns(ModelWarning, match=f"outside the model's folder.*{uri}"):
            assert not model(uri)
    with pytest.warns(ModelWarning, match="meshes not found"):
        assert not model("model://elsewhere/rod.stl")


# -- errors ----------------------------------------------------------------------------------------

ROD = link("rod")
HINGE = joint("a", "world", "rod")
WRONG = {
    '<robot name="x"/>': "root element is <robot>, that of URDF; an SDF file has <sdf>",
    "<mujoco/>": "root element is <mujoco>, that of MJCF",
    "<gazebo/>": "root element is <gazebo>; an SDF file has <sdf>",
    sdf(ROD, "1.1"): "SDF version '1.1'; read are 1.2 to 1.12",
    sdf(ROD, "2"): "SDF version '2'",
    '<sdf version="1.9"/>': "holds 0 models; expected one",
    sdf(""): "model 'arm' has no links",
    sdf(ROD + '<model name="hand"/>'): "model 'hand' has no links",
    sdf(ROD + "<include><uri>model://hand</uri></include>"): "'model://hand', which is not in the",
    sdf(ROD + "<include><uri>https://x.org/hand</uri></include>"): "no file is fetched from 'https",
    sdf(ROD + "<include><uri>../hand.sdf</uri></include>"): "lies outside the model's folder",
    sdf(ROD + "<include><uri>arm.sdf</uri></include>"): "in which it is included itself",
    sdf(ROD + "<include><uri>arm.sdf</uri><e:params/></include>"): "e:params>, which is not read",
    sdf(ROD + "<include/>"): "an <include> of model 'arm' has no <uri>",
    sdf(ROD + "<drake:joint/>"): "has a <drake:joint>, which is not read",
    sdf(ROD + joint("a", "rod", "world")): "joint 'a' has the world as its child",
    sdf('<model name="m">' * 20 + ROD + "</model>" * 20): "a model in more than 16 others",
    sdf(ROD + ROD): "two parts named 'rod'",
    sdf('<link name="world"/>'): "a link named 'world', a word of SDF's",
    sdf(ROD + joint("rod", "world", "rod"), "1.7"): "two parts named 'rod'",
    sdf("<link/>"): "a link of model 'arm' has no attribute 'name'",
    sdf(ROD + HINGE.replace("revolute", "piston")): "'a' is of type 'piston'; read are revolute",
    sdf(ROD + HINGE.replace("revolute", "gearbox")): "gearbox 'a' has no <gearbox_reference_body>",
    sdf(ROD + GEARBOX.format("rod", "rod", "0 0 1")): "hinge between its reference 'rod' and 'rod'",
    sdf(ROD + joint("a", "world", "rot")): "no link, joint or frame 'rot'. Did you mean 'rod'",
    sdf(ROD + HINGE.replace("<parent>world</parent>", "")): "joint 'a' has no <parent>",
    sdf(ROD + joint("a", "world", "rod", "0 0 0")): "joint 'a' has an <axis> of length zero",
    sdf(ROD + joint("a", "world", "rod", "0 1")): "<axis/xyz>, should be 3 number",
    sdf(ROD.replace("<mass>1.5", "<mass>heavy")): "link 'rod', <mass>, should be 1 number",
    sdf(ROD.replace("<mass>1.5", "<mass>-1")): "negative",
    sdf(ROD.replace("<mass>", "<mass>1</mass><mass>")): "link 'rod' has <mass> 2 times",
    sdf(ROD.replace("<inertial>", "<inertial auto='true'>")): "its mass is that of its shapes",
    sdf(link("rod", "<pose>0 0 1</pose>")): "link 'rod'.?, <pose>, should be 6|'rod', <pose>",
    sdf(link("rod", '<pose rotation_format="spin">0</pose>')): "rotation_format='spin'",
    sdf(link("rod", '<pose relative_to="rod"/>') + HINGE): "in a circle: rod → rod",
    sdf(ROD + '<frame name="f" attached_to="f"/>'): "attached in a circle|in a circle: f → f",
    sdf(ROD + HINGE + joint("b", "rod", "rod")): "joins 'rod' to itself",
    sdf(ROD.replace("</link>", "<gravity>maybe</gravity></link>")): "should be true or false",
    "<sdf": "not well-formed XML",
}


@pytest.mark.filterwarnings("ignore::phalanx.mechanism.read.ModelWarning")
@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said_with_file_and_part(read, text):
    with pytest.raises(PhalanxError, match=rf"arm\.sdf: .*({WRONG[text]})"):
        read(text)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("arm.urdf", sdf(ROD), r"<sdf>, that of SDF; a URDF file has <robot>. Call the .*\.sdf"),
        ("arm.urdf", "<mujoco/>", r"<mujoco>, that of MJCF.*Call the file \*\.xml"),
        ("arm.mjcf", "<html/>", r"root element is <html>; an MJCF file has <mujoco>"),
    ],
)
def test_a_format_under_another_s_name_is_said(tmp_path, name, text, reason):
    (tmp_path / name).write_text(text)
    with pytest.raises(ReadError, match=rf"{name}: .*{reason}"):
        load(tmp_path / name)


def test_xml_is_known_by_its_root(tmp_path):
    (tmp_path / "arm.xml").write_text(sdf(ROD + HINGE))
    assert load(tmp_path / "arm.xml").nv == 1

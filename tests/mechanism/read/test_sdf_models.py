"""SDF: models in models and included ones are those of a flat file; worlds, and old versions."""

from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from evaluate import close
from phalanx.base.errors import PhalanxError
from phalanx.mechanism import Fixed, Floating, Mechanism, Mesh, Pose
from phalanx.mechanism.read import ModelWarning, load

INERTIAL = """<inertial><pose>0.1 0.02 0.03 0.1 0.2 0.3</pose><mass>1.5</mass>
  <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.025</izz><ixy>0.001</ixy></inertia></inertial>"""
AT_BASE, AT_TIP, AT_HAND = "0.1 0.2 0.3 0.3 0 0", "0.5 0 0.1 0 0.4 0", "0 0.3 0 0.1 0.2 0.7"


def link(name: str, pose: str = "", more: str = "") -> str:
    return f'<link name="{name}">{pose}{INERTIAL}{more}</link>'


def joint(
    name: str, parent: str, child: str, axis: str = "<xyz>0 1 0</xyz>", more: str = ""
) -> str:
    return f"""<joint name="{name}" type="revolute"><parent>{parent}</parent><child>{child}</child>
      <axis>{axis}</axis>{more}</joint>"""


# an arm of two links, and a hand of which the finger is hinged
HAND = link("palm") + link("finger", f"<pose>{AT_TIP}</pose>") + joint("grip", "palm", "finger")
ARM = link("base", f"<pose>{AT_BASE}</pose>") + joint("turn", "world", "base")


def sdf(model: str, version: str = "1.9", name: str = "arm") -> str:
    return f'<sdf version="{version}"><model name="{name}">{model}</model></sdf>'


def read(folder: Path, text: str, **options) -> Mechanism:
    (folder / "arm.sdf").write_text(text)
    return load(folder / "arm.sdf", **options)


def flat(hand: str = AT_HAND, axis: str = "<xyz>0 1 0</xyz>") -> str:
    """Arm and hand in one model, the hand in a frame of its own."""
    return sdf(
        ARM
        + f'<frame name="hand"><pose>{hand}</pose></frame>'
        + link("hand::palm", '<pose relative_to="hand"/>')
        + link("hand::finger", f'<pose relative_to="hand">{AT_TIP}</pose>')
        + joint("hand::grip", "hand::palm", "hand::finger", axis)
        + joint("wrist", "base", "hand::palm")
    )


def same(one: Mechanism, other: Mechanism) -> None:
    assert [body.name for body in one.bodies] == [body.name for body in other.bodies]
    assert [x.name for x in one.moving_joints] == [x.name for x in other.moving_joints]
    q, v = np.linspace(0.3, 0.9, one.nq), np.linspace(-1, 1, one.nv)
    M, tau = (px.mass_matrix.composite_body, px.inverse_dynamics.recursive)
    close(*(np.asarray(px.expression(M, x)(q)) for x in (one, other)), 1e-14)
    close(*(np.asarray(px.expression(tau, x)(q, v, v)) for x in (one, other)), 1e-13)
    places = [x.frame("hand") for x in (one, other)]
    where = [place_at_zero(x, f.body) @ f.pose for x, f in zip((one, other), places, strict=True)]
    close(where[0].translation, where[1].translation, 1e-14)
    close(where[0].rotation, where[1].rotation, 1e-14)


def place_at_zero(m: Mechanism, body: str) -> Pose:
    """The pose of a body with all joints at zero."""
    poses = {m.bodies[0].name: Pose()}
    for x in m.joints:
        poses[x.child] = poses[x.parent] @ x.pose
    return poses[body]


# -- models in models ------------------------------------------------------------------------------

WRIST = joint("wrist", "base", "hand::palm")


@pytest.mark.parametrize(
    "hand",
    [
        f'<model name="hand"><pose>{AT_HAND}</pose>{HAND}</model>',
        # the same place, as the pose of another frame of the hand
        f"""<model name="hand" placement_frame="finger"><pose relative_to="seat"/>{HAND}</model>
        <frame name="held" attached_to="seat"/>
        <frame name="seat"><pose relative_to="plate">{AT_TIP}</pose></frame>
        <frame name="plate"><pose>{AT_HAND}</pose></frame>""",
        f"""<model name="hand"><pose>{AT_HAND}</pose><frame name="rim"/>
        {HAND.replace(f"<pose>{AT_TIP}", f'<pose relative_to="rim">{AT_TIP}')}</model>
        <frame name="mark" attached_to="hand::__model__"/>""",
    ],
)
def test_a_nested_model_is_that_of_a_flat_one(tmp_path, hand):
    same(read(tmp_path, sdf(ARM + hand + WRIST)), read(tmp_path, flat()))


def test_nested_models_have_scopes_of_their_own(tmp_path):
    """Twice the same hand, one in a model without links, whose frame is on what it holds."""
    inner = f'<model name="hand">{HAND}</model>'
    holder = f'<model name="left">{inner}<frame name="mark"/></model>'
    ties = joint("a", "base", "hand::palm") + joint("b", "base", "left::hand::palm")
    m = read(tmp_path, sdf(ARM + inner + holder + ties))
    assert {x.name for x in m.moving_joints} == {"turn", "a", "b", "hand::grip", "left::hand::grip"}
    assert m.frame("left::mark").body == "left::hand::palm"


def test_the_pose_of_a_model_is_that_of_its_placement_frame(tmp_path):
    text = sdf(f"<pose>1 2 3 0 0 0</pose>{link('rod', '<pose>0 0 5 0 0 0</pose>')}")
    text = text.replace('name="arm"', 'name="arm" placement_frame="rod"')
    with_world = text.replace(
        "<link",
        '<joint name="a" type="fixed"><parent>world</parent><child>rod</child></joint><link',
        1,
    )
    m = read(tmp_path, with_world)
    close(m.joints[0].pose.translation, [1, 2, 3], 1e-15)


# -- includes --------------------------------------------------------------------------------------


def hand_folder(folder: Path, text: str, name: str = "hand") -> None:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "model.sdf").write_text(text)


@pytest.mark.parametrize(
    "uri", ["model://hand", "hand", "hand/model.sdf", "model://hand/model.sdf"]
)
def test_an_included_model_is_a_nested_one(tmp_path, uri):
    hand_folder(tmp_path, sdf(f"<pose>9 9 9 0 0 0</pose>{HAND}", name="other"))
    include = f"<include><uri>{uri}</uri><name>hand</name><pose>{AT_HAND}</pose></include>"
    same(read(tmp_path, sdf(ARM + include + WRIST)), read(tmp_path, flat()))


def test_an_included_file_has_a_version_of_its_own(tmp_path):
    """Axes were in the model's frame until 1.4: in that of the hand, not in that of the arm."""
    hand_folder(tmp_path, sdf(HAND, "1.4", name="hand"))
    include = f"<include><uri>hand</uri><pose>{AT_HAND}</pose></include>"
    axis = '<xyz expressed_in="hand">0 1 0</xyz>'
    same(read(tmp_path, sdf(ARM + include + WRIST)), read(tmp_path, flat(axis=axis)))


def test_the_manifest_says_which_file_is_the_latest(tmp_path):
    hand_folder(tmp_path, sdf("", name="hand"))
    (tmp_path / "hand" / "new.sdf").write_text(sdf(HAND, name="hand"))
    config = '<model><sdf version="1.2">model.sdf</sdf><sdf version="1.10">new.sdf</sdf></model>'
    (tmp_path / "hand" / "model.config").write_text(config)
    include = f"<include><uri>model://hand</uri><pose>{AT_HAND}</pose></include>"
    same(read(tmp_path, sdf(ARM + include + WRIST)), read(tmp_path, flat()))


def test_a_merged_model_gives_its_parts_away(tmp_path):
    hand_folder(tmp_path, sdf(HAND, name="hand"))
    include = f'<include merge="true"><uri>hand</uri><pose>{AT_HAND}</pose></include>'
    m = read(tmp_path, sdf(ARM + include + joint("wrist", "base", "palm"), "1.10"))
    assert [x.name for x in m.moving_joints] == ["turn", "wrist", "grip"]
    X = m.frame("_merged__hand__model__")
    assert X.body == "palm"
    close(X.pose.translation, np.zeros(3), 0)


def test_meshes_of_an_included_model_lie_in_its_folder(tmp_path):
    mesh = "<visual name='v'><geometry><mesh><uri>{}</uri></mesh></geometry></visual>"
    for uri in ("shell.stl", "model://hand/shell.stl"):
        hand_folder(tmp_path, sdf(link("palm", more=mesh.format(uri)), name="hand"))
        (tmp_path / "hand" / "shell.stl").write_text("solid")
        m = read(tmp_path, sdf(ARM + "<include><uri>hand</uri></include>" + WRIST))
        (visual,) = m.body("hand::palm").visuals
        assert visual.geometry == Mesh((tmp_path / "hand" / "shell.stl").resolve())


def test_models_outside_are_included_from_folders_that_are_named(tmp_path):
    hand_folder(tmp_path, sdf(HAND, name="hand"))
    inside = tmp_path / "arm"
    inside.mkdir()
    text = sdf(ARM + "<include><uri>model://hand</uri></include>" + WRIST)
    with pytest.raises(PhalanxError, match=r"'model://hand', which is not in .*package_paths"):
        read(inside, text)
    assert read(inside, text, package_paths=[tmp_path]).nv == 3


def test_includes_that_multiply_are_stopped(tmp_path):
    """Each file includes the next one twelve times: a million models in six small files."""
    for k in range(6):
        below = "".join(
            f"<include><uri>m{k + 1}.sdf</uri><name>n{i}</name></include>" for i in range(12)
        )
        (tmp_path / f"m{k}.sdf").write_text(sdf(link("a") + below, name="m"))
    (tmp_path / "m6.sdf").write_text(sdf(link("a"), name="m"))
    with pytest.raises(PhalanxError, match="includes more than 1000 models"):
        load(tmp_path / "m0.sdf")


def test_what_is_wrong_in_an_included_file_is_said_with_its_name(tmp_path):
    hand_folder(tmp_path, sdf(HAND.replace("<mass>1.5", "<mass>-1"), "1.1"))
    with pytest.raises(PhalanxError, match=r"arm\.sdf: .*hand.model\.sdf: it is SDF version '1.1'"):
        read(tmp_path, sdf(ARM + "<include><uri>hand</uri></include>"))


# -- worlds and free bodies ------------------------------------------------------------------------


def test_bodies_that_nothing_ties_move_freely(tmp_path):
    places = {"a": "1 2 3 0.1 0 0", "b": "4 5 6 0 0.2 0"}
    links = "".join(link(name, f"<pose>{pose}</pose>") for name, pose in places.items())
    with pytest.warns(ModelWarning, match=r"ties to the world .*move freely: a, b\."):
        m = read(tmp_path, sdf("<pose>0 0 1 0 0 0.5</pose>" + links))
    assert m.bodies[0].name == "world"
    assert [type(x.motion) for x in m.joints] == [Floating, Floating]
    model = Pose.from_rpy([0, 0, 1], [0, 0, 0.5])
    for x, pose in zip(m.joints, places.values(), strict=True):
        numbers = [float(word) for word in pose.split()]
        expected = model @ Pose.from_rpy(numbers[:3], numbers[3:])
        close(x.pose.translation, expected.translation, 1e-14)
        close(x.pose.rotation, expected.rotation, 1e-14)


def test_a_free_tree_floats_where_its_joints_begin(tmp_path):
    """A ball joint cannot be walked backwards, so the tree must hang on the ball's parent."""
    ball = '<joint name="s" type="ball"><parent>b</parent><child>c</child></joint>'
    with pytest.warns(ModelWarning, match=r"freely: b\."):
        m = read(tmp_path, sdf(ARM + link("c") + link("b") + ball))
    assert m.nv == 1 + 6 + 3
    assert m.joint("b_floating").child == "b"


def test_a_world_holds_its_models_under_their_names(tmp_path):
    ground = f'<model name="ground"><static>true</static>{HAND}</model>'
    arm = f'<model name="arm"><pose>1 0 0 0 0 0</pose>{ARM}</model>'
    body = f'<model name="box">{link("box")}</model>'
    world = f'<sdf version="1.9"><world name="hall">{ground}{arm}{body}</world></sdf>'
    with pytest.warns(ModelWarning, match=r"freely: box::box\."):
        m = read(tmp_path, world)
    assert (m.name, m.nv) == ("hall", 7)
    still = {x.child for x in m.joints if isinstance(x.motion, Fixed)}
    assert still == {"ground::palm", "ground::finger"}
    close(m.joint("arm::turn").pose.translation, [1.1, 0.2, 0.3], 1e-15)


def test_a_world_of_one_included_model_is_that_model(tmp_path):
    hand_folder(tmp_path, sdf(ARM, name="other"))
    text = '<sdf version="1.9"><world name="hall"><include><uri>hand</uri></include></world></sdf>'
    assert [body.name for body in read(tmp_path, text).bodies] == ["world", "base"]


# -- versions and words of others ------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_early_versions_are_read_as_1_4(tmp_path, version):
    model = HAND + ARM.replace("base", "stand") + joint("wrist", "stand", "palm")
    now, early = sdf(model, "1.4"), sdf(model, version)
    if version == "1.2":
        early = early.replace("<sdf", "<gazebo").replace("</sdf", "</gazebo")
    one, other = read(tmp_path, now), read(tmp_path, early)
    assert [x.name for x in one.joints] == [x.name for x in other.joints]
    q = np.linspace(0.3, 0.9, one.nq)
    M = px.mass_matrix.composite_body
    close(*(np.asarray(px.expression(M, x)(q)) for x in (one, other)), 0)


@pytest.mark.parametrize("declared", ["", ' xmlns:drake="http://drake.mit.edu"'])
def test_words_of_drake_s_are_read_or_named(tmp_path, declared):
    """Where the prefix is declared and where it is not, as in most files of Drake's."""
    motor = "<drake:rotor_inertia>2e-4</drake:rotor_inertia><drake:gear_ratio>50</drake:gear_ratio>"
    follow = '<drake:mimic joint="turn" multiplier="2" offset="0.1"/>'
    text = sdf(
        link("base", more='<drake:wheel size="2"/>')
        + link("tip")
        + joint("turn", "world", "base", more=motor)
        + joint("grip", "base", "tip", more=follow)
    ).replace("<sdf", f"<!-- <a:b> --><sdf{declared}", 1)
    with pytest.warns(ModelWarning, match=r"of other programs are left out: drake:wheel\."):
        m = read(tmp_path, text)
    assert (m.joint("turn").rotor_inertia, m.joint("turn").gear_ratio) == (2e-4, 50)
    assert m.joint("grip").mimic is not None
    assert (m.joint("grip").mimic.multiplier, m.joint("grip").mimic.offset) == (2, 0.1)

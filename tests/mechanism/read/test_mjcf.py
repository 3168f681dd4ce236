from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import ReadError
from phalanx.equations.loops.closure.equations import closure, constraint
from phalanx.equations.tree.build import model_as_written
from phalanx.mechanism import Box, Capsule, Cylinder, Fixed, Mechanism, Mesh, Sphere, Spherical
from phalanx.mechanism.read import ModelWarning, load, mjcf_numbers, mjcf_process

mujoco = pytest.importorskip("mujoco")

BALL = '<geom type="sphere" size="0.1" pos="0.1 0 0" contype="0" conaffinity="0"/>'
EVERYTHING = f"""
<mujoco model="zoo">
  <compiler angle="degree"/>
  <option gravity="0 1 -3"><flag contact="disable"/></option>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="free" pos="0 0 5" euler="10 20 30"><freejoint name="float"/>
      <geom type="box" size="0.1 0.2 0.3"/></body>
    <body name="many" pos="1 2 3" euler="30 20 10">
      <joint name="hinge" axis="0 1 0" pos="0 0 0.2" ref="30" range="-90 80"
             damping="0.1" armature="0.2" frictionloss="0.3" actuatorfrcrange="-7 7"/>
      <joint name="slide" type="slide" axis="1 0 0" ref="0.4"/>
      <joint name="second" axis="1 1 0" pos="0.1 0.2 0.3"/>
      <geom type="capsule" size="0.1 0.2" euler="0 90 0" rgba="1 0 0 0.5"/>
      <site name="tool" pos="1 1 1" euler="0 0 90"/>
      <site name="ball" pos="0 0 1"/>
      <body name="ball" pos="0 0 1"><joint name="ball" type="ball" pos="0 0.1 0"/>{BALL}</body>
      <body name="welded" pos="1 0 0"><geom type="cylinder" size="0.1 0.2"/></body>
    </body>
    <body><joint axis="0 0 1"/>{BALL}</body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def read(tmp_path):
    def from_text(text: str) -> Mechanism:
        file = tmp_path / "model.xml"
        file.write_text(text)
        return load(file)

    return from_text


def positions(mechanism: Mechanism, model, qpos: np.ndarray) -> dict[str, np.ndarray]:
    """MuJoCo's qpos by joint name, its quaternions reordered."""
    at = {}
    for j, joint in enumerate(sorted_like(mechanism, model)):
        start = model.jnt_qposadr[j]
        q = qpos[start : start + joint.motion.nq]
        if joint.motion.nq > 1:
            q = np.concatenate([q[:-4], q[-3:], q[-4:-3]])
        at[joint.name] = q
    return at


def sorted_like(mechanism: Mechanism, model) -> list:
    names = [model.joint(j).name or f"joint_{j}" for j in range(model.njnt)]
    return [mechanism.joint(name) for name in names]


def compare(mechanism: Mechanism, model, qpos: np.ndarray, poses) -> None:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    ours = poses(mechanism, positions(mechanism, model, qpos))
    for i in range(model.nbody):
        name = model.body(i).name or f"body_{i}"
        np.testing.assert_allclose(ours[name][:3, 3], data.xpos[i], atol=1e-9)
        np.testing.assert_allclose(ours[name][:3, :3].ravel(), data.xmat[i], atol=1e-9)
        body = mechanism.body(name)
        assert body.mass == pytest.approx(model.body_mass[i])
        centre = ours[name] @ [*body.com, 1]
        R = ours[name][:3, :3]
        np.testing.assert_allclose(centre[:3], data.xipos[i], atol=1e-9)
        principal = data.ximat[i].reshape(3, 3)
        I = principal @ np.diag(model.body_inertia[i]) @ principal.T
        np.testing.assert_allclose(R @ body.inertia @ R.T, I, atol=1e-9)


def test_bodies_stand_where_mujoco_puts_them(read, poses):
    mechanism = read(EVERYTHING)
    model = mujoco.MjModel.from_xml_string(EVERYTHING)
    compare(mechanism, model, model.qpos0, poses)
    qpos = model.qpos0 + np.random.default_rng(1).uniform(-1, 1, model.nq)
    mujoco.mj_normalizeQuat(model, qpos)
    compare(mechanism, model, qpos, poses)


def test_joints_carry_their_numbers(read):
    m = read(EVERYTHING)
    assert m.name == "zoo" and (m.nq, m.nv) == (15, 13)
    np.testing.assert_array_equal(m.gravity, (0, 1, -3))
    hinge = m.joint("hinge")
    np.testing.assert_allclose([hinge.lower[0], hinge.upper[0]], np.deg2rad([-90, 80]))
    numbers = (hinge.damping, hinge.friction, hinge.reflected_inertia, hinge.effort_limit)
    assert [float(x[0]) for x in numbers] == [0.1, 0.3, 0.2, 7]
    assert m.joint("slide").lower[0] == -np.inf
    assert isinstance(m.joint("ball").motion, Spherical)
    assert m.joint("float").damping.shape == (6,)
    assert isinstance(m.joint("welded_fixed").motion, Fixed)
    assert m.joint("joint_5").child == "body_5"


def test_several_joints_pass_through_massless_bodies(read):
    m = read(EVERYTHING)
    names = ["many/hinge", "many/slide", "many/second"]
    assert [m.joint(name).child for name in ("hinge", "slide", "second")] == names
    assert all(m.body(name).mass == 0 for name in names)
    assert m.joint("many_fixed").child == "many"


def test_geoms_are_drawn(read):
    m = read(EVERYTHING)
    assert not m.body("world").visuals
    capsule = m.body("many").visuals[0]
    assert capsule.geometry == Capsule(0.1, 0.4)
    assert capsule.colour == pytest.approx((1, 0, 0, 0.5))
    np.testing.assert_array_equal(capsule.pose.rotation[:, 2], (1, 0, 0))
    shapes = [m.body(name).visuals[0].geometry for name in ("free", "ball", "welded")]
    assert shapes == [Box((0.2, 0.4, 0.6)), Sphere(0.1), Cylinder(0.1, 0.4)]


def test_sites_are_frames(read):
    m = read(EVERYTHING)
    tool = m.frame("tool")
    assert tool.body == "many"
    np.testing.assert_array_equal(tool.pose.translation, (1, 1, 1))
    np.testing.assert_allclose(tool.pose.rotation[:, 0], (0, 1, 0), atol=1e-12)
    assert m.frame("ball").body == "ball" and m.frame("site/ball").body == "many"


def chain_with(equalities: str, joint: str = "") -> str:
    return f"""<mujoco><compiler angle="radian"/><worldbody>
      <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" ref="0.3" {joint}/>{BALL}
        <site name="s" pos="0 0 1"/>
        <body name="b" pos="0 0 1"><joint name="k" axis="0 1 0" ref="0.2"/>{BALL}
          <site name="t"/></body>
      </body></worldbody><equality>{equalities}</equality></mujoco>"""


@pytest.mark.parametrize(
    ("equality", "motion", "bodies"),
    [
        ('<connect name="e" body1="b" body2="a" anchor="0 0.5 0"/>', Spherical, ("b", "a")),
        ('<connect name="e" body1="b" anchor="0 0.5 0"/>', Spherical, ("b", "world")),
        ('<connect name="e" site1="s" site2="t"/>', Spherical, ("a", "b")),
        ('<weld name="e" body1="a" body2="b" anchor="0 0.5 0"/>', Fixed, ("a", "b")),
        ('<weld name="e" body1="b"/>', Fixed, ("b", "world")),
    ],
)
def test_equalities_close_loops(read, poses, equality, motion, bodies):
    m = read(chain_with(equality))
    loop = m.loops[0]
    assert loop.name == "e" and isinstance(loop.motion, motion)
    assert (m.frame(loop.frame_a).body, m.frame(loop.frame_b).body) == bodies
    # MuJoCo's anchors coincide in the reference posture
    X = poses(m, {"j": np.array([0.3]), "k": np.array([0.2])})
    shape = (slice(3), 3) if motion is Spherical else ...
    np.testing.assert_allclose(X[loop.frame_a][shape], X[loop.frame_b][shape], atol=1e-9)


TWO_ARMS = f"""<mujoco><compiler angle="radian"/><worldbody>
  <body name="a" pos="0 0 1" euler="0.3 0.2 0.1"><joint name="ja" type="ball"/>{BALL}
    <body name="b" pos="0.3 0 0.5" euler="0.1 -0.4 0.3">
      <joint name="jb" axis="1 1 0" pos="0.1 0 0" ref="0.2"/>{BALL}
      <site name="s" pos="0.1 0.2 0.3" euler="0.3 0.4 0.5"/></body></body>
  <body name="c" pos="1 0 0" euler="0.7 0 0"><freejoint name="jc"/>{BALL}
    <site name="t" pos="-0.1 0.2 0.1" euler="-0.3 0.4 0.1"/></body>
  </worldbody><equality>EQUALITY</equality></mujoco>"""
RELATIVE = 'relpose="0.1 0.2 0.3 0.8 0.6 0 0" anchor="0.1 0.2 0.3"'


@pytest.mark.parametrize(
    "equality",
    [
        '<connect body1="b" body2="c" anchor="0.1 0.5 0"/>',
        '<connect body1="b" anchor="0.1 0.5 0"/>',
        '<connect site1="s" site2="t"/>',
        '<weld body1="b" body2="c"/>',
        '<weld body1="b" body2="c" anchor="0.1 0.2 0.3"/>',
        f'<weld body1="b" body2="c" {RELATIVE}/>',
        f'<weld body1="b" {RELATIVE}/>',
        f'<weld body1="b" body2="c" {RELATIVE} torquescale="0"/>',
        '<weld site1="s" site2="t"/>',
    ],
)
def test_loops_are_open_by_what_mujoco_says(read, equality):
    """MuJoCo's residuals at random states: positions are ours, turns half-sines."""
    text = TWO_ARMS.replace("EQUALITY", equality)
    m, model = read(text), mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    q = ca.SX.sym("q", m.nq)
    openings = ca.Function("c", [q], [closure(model_as_written(m), q)])
    for _ in range(5):
        data.qpos[:] = rng.standard_normal(model.nq)
        mujoco.mj_normalizeQuat(model, data.qpos)
        mujoco.mj_forward(model, data)
        theirs = data.efc_pos[data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        at = positions(m, model, data.qpos)
        ours = np.asarray(openings(np.concatenate([at[j.name] for j in m.moving_joints]))).ravel()
        np.testing.assert_allclose(ours[:3], -theirs[:3], atol=1e-12)
        if len(ours) == 6:
            half_sine = theirs[3:]
            half_cosine = np.sqrt(1 - half_sine @ half_sine)
            np.testing.assert_allclose(np.cross(ours[3:], half_sine), 0, atol=1e-12)
            size = 2 * half_cosine * np.linalg.norm(half_sine)
            assert np.linalg.norm(ours[3:]) == pytest.approx(size, abs=1e-12)
        else:
            assert not theirs[3:].any()


def test_inactive_equalities_close_nothing(read):
    m = read(chain_with('<weld body1="a" body2="b" active="false"/>'))
    assert not m.loops
    assert m.name == "model"


def test_linear_couplings_are_mimics(read):
    m = read(chain_with('<joint joint1="k" joint2="j" polycoef="0.1 2 0 0 0"/>'))
    mimic = m.joint("k").mimic
    assert m.nv == 1 and mimic.leader == "j"
    # k - 0.2 = 0.1 + 2 (j - 0.3)
    assert (mimic.multiplier, mimic.offset) == pytest.approx((2, -0.3))


COUPLINGS = {
    # follower, leader and p of positions; k has its reference at 0.2 and j at 0.3
    '<joint name="e" joint1="k" joint2="j" polycoef="0.1 1 2 -1 0.5"/>': ("k", "j"),
    '<joint name="e" joint1="k" joint2="j" polycoef="0 0 0 2 0"/>': ("k", "j"),
    '<joint name="e" joint1="k" polycoef="0.1 0 0 0 0"/>': ("k", None),
    '<joint name="e" joint1="k" joint2="j" polycoef="0 0 0 0 0"/>': ("k", None),
}


@pytest.mark.parametrize("equality", COUPLINGS)
def test_other_couplings_are_closures_with_mujoco_s_residuals(read, equality):
    """Openings and their derivative at random states."""
    text = chain_with(equality)
    m, model = read(text), mujoco.MjModel.from_xml_string(text)
    assert m.nv == 2 and [x.name for x in m.loops] == ["e"]
    coupling = m.loops[0].motion
    assert (coupling.follower, coupling.leader) == COUPLINGS[equality]
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    q, v = ca.SX.sym("q", m.nq), ca.SX.sym("v", m.nv)
    found = constraint(model_as_written(m), q, v)
    ours = ca.Function("c", [q], [found.c, ca.densify(found.A)])
    for _ in range(5):
        data.qpos[:] = rng.standard_normal(model.nq)
        mujoco.mj_forward(model, data)
        c, A = map(np.asarray, ours(data.qpos))
        np.testing.assert_allclose(np.ravel(c), data.efc_pos[:1], atol=1e-13)
        np.testing.assert_allclose(np.ravel(A), data.efc_J.reshape(-1, m.nv)[0], atol=1e-13)


def test_a_second_line_for_one_joint_and_a_circle_of_lines_are_closures(read):
    to = '<joint joint1="{}" joint2="{}" polycoef="0 {} 0 0 0"/>'
    for second in (("k", "j", 3), ("j", "k", 0.25)):
        m = read(chain_with(to.format("k", "j", 2) + to.format(*second)))
        assert m.nv == 1 and m.joint("k").mimic.leader == "j"
        assert m.loops[0].motion.follower == second[0]
        assert px.assemble(m).mobility == 0


def test_equalities_of_tendons_are_reported(read):
    rope = '<tendon><spatial name="rope"><site site="s"/><site site="t"/></spatial></tendon>'
    text = chain_with('<tendon name="e" tendon1="rope"/>').replace(
        "<equality>", rope + "<equality>"
    )
    with pytest.warns(ModelWarning, match="not honoured: equalities other than .*: e"):
        assert not read(text).loops
    assert not read(text.replace('tendon1="rope"', 'tendon1="rope" active="false"')).loops


def test_springs_of_joints(read):
    joint = read(chain_with("", 'stiffness="5" springref="0.7"')).joint("j")
    assert joint.stiffness == 5 and joint.rest_position == pytest.approx(0.7)
    assert not read(chain_with("")).joint("j").stiffness.any()


def test_a_spring_and_damper_by_time_constant_and_ratio(read):
    m = read(chain_with("", 'springdamper="0.2 0.5"'))
    assert m.joint("j").stiffness > 0 and m.joint("j").damping > 0


def tendon(inside: str, numbers: str = 'stiffness="8"', kind: str = "spatial") -> str:
    rope = f'<tendon><{kind} name="rope" {numbers}>{inside}</{kind}></tendon><equality>'
    return chain_with("").replace("<equality>", rope)


LINE = '<site site="s"/><site site="t"/>'


def test_a_tendon_between_two_sites_is_a_spring(read):
    m = read(
        tendon(LINE, 'stiffness="8" damping="0.3" springlength="0.4"').replace("0 0 1", "0 1 1")
    )
    (spring,) = m.springs
    assert (spring.name, spring.frame_a, spring.frame_b) == ("rope", "s", "t")
    assert (spring.stiffness, spring.damping, spring.rest_length) == (8.0, 0.3, 0.4)
    named_as_joint = tendon(LINE).replace('name="rope"', 'name="k"')
    assert read(named_as_joint).springs[0].name == "tendon/k"


@pytest.mark.parametrize(
    "text",
    [
        tendon('<site site="s"/><site site="t"/><site site="s"/>'),
        tendon(LINE, 'stiffness="8" springlength="0.1 0.4"'),
        tendon(LINE, 'frictionloss="2"'),
        tendon('<joint joint="j" coef="1"/>', kind="fixed"),
    ],
    ids=["bent", "slack", "friction", "fixed"],
)
def test_forces_of_other_tendons_are_reported(read, text):
    with pytest.warns(ModelWarning, match="not honoured: .*forces of tendons .*: rope"):
        assert not read(text).springs


def test_a_spring_that_yields_is_reported(read):
    text = chain_with("", 'stiffness="2" springyield="0.1"')
    if "springyield" not in mujoco.mj_printSchema(False, False):
        pytest.skip("this MuJoCo has no springs that yield")
    with pytest.warns(ModelWarning, match="not honoured: .*yield of springs.*joints: "):
        read(text)


def test_springs_may_be_switched_off(read):
    text = chain_with("", 'stiffness="5" damping="2"')
    off = '<option><flag spring="disable" damper="disable"/></option>'
    joint = read(text.replace("<worldbody>", off + "<worldbody>")).joint("j")
    assert not joint.stiffness.any() and not joint.damping.any()


def test_gravity_may_be_switched_off(read):
    text = EVERYTHING.replace('contact="disable"', 'contact="disable" gravity="disable"')
    assert not read(text).gravity.any()


def test_gravity_compensation_is_reported(read):
    text = chain_with("").replace('<body name="b"', '<body name="b" gravcomp="1"')
    with pytest.warns(ModelWarning, match="not honoured: gravity compensation: b"):
        read(text)


TETRAHEDRON = """v 1 1 1
v 2 1 1
v 1 3 1
v 1 1 4
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""
WITH_MESH = """<mujoco><compiler meshdir="{folder}"/>
  <asset><mesh name="m" file="{file}" scale="2 2 2"/></asset>
  <worldbody><body name="a"><joint/><geom type="mesh" mesh="m" pos="0 0 1"/></body></worldbody>
</mujoco>"""


def test_meshes_are_drawn_where_the_file_has_them(read, tmp_path: Path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "m.obj").write_text(TETRAHEDRON)
    visual = read(WITH_MESH.format(folder="assets", file="m.obj")).body("a").visuals[0]
    assert visual.geometry == Mesh((tmp_path / "assets" / "m.obj").resolve(), (2, 2, 2))
    np.testing.assert_allclose(visual.pose.rotation, np.eye(3), atol=1e-9)
    np.testing.assert_allclose(visual.pose.translation, (0, 0, 1), atol=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        WITH_MESH.format(folder="", file="../secret.obj"),
        WITH_MESH.format(folder="..", file="secret.obj"),
        WITH_MESH.format(folder="", file="/etc/passwd"),
        '<mujoco><include file="../secret.xml"/></mujoco>',
        '<mujoco><include file="inner.xml"/></mujoco>',
        '<mujoco><include file="sub/outer.xml"/></mujoco>',
        '<mujoco><asset><model name="m" file="inner.xml"/></asset></mujoco>',
    ],
)
def test_files_outside_are_refused(tmp_path, text):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.obj").write_text(TETRAHEDRON)
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    (folder / "inner.xml").write_text('<mujoco><include file="../secret.xml"/></mujoco>')
    (folder / "sub").mkdir()
    (folder / "sub" / "outer.xml").write_text('<mujoco><include file="next.xml"/></mujoco>')
    (folder / "sub" / "next.xml").write_text(WITH_MESH.format(folder="", file="../../secret.obj"))
    (folder / "model.xml").write_text(text)
    with pytest.raises(ReadError, match="outside"):
        load(folder / "model.xml")


def test_parts_are_included(read, tmp_path):
    (tmp_path / "part.xml").write_text(
        f'<mujoco><worldbody><body name="p"><joint/>{BALL}</body></worldbody></mujoco>'
    )
    assert read('<mujoco><include file="part.xml"/></mujoco>').body("p").mass > 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo says"),
        ("<mujoco><nonsense/></mujoco>", "MuJoCo says.*nonsense"),
        ('<mujoco><include file="gone.xml"/></mujoco>', "MuJoCo says.*gone"),
        ("<html/>", "root element is <html>"),
    ],
)
def test_what_mujoco_cannot_compile_is_refused_in_its_words(read, text, reason):
    with pytest.raises(ReadError, match=rf"model\.xml: .*{reason}"):
        read(text)


# -- what MuJoCo takes and no machine has, and what it never ends with -----------------------------


@pytest.mark.parametrize("number", ["nan", "NaN", "-nan"])
@pytest.mark.parametrize("place", ["mass", "pos", "euler"])
def test_a_nan_is_not_taken_for_nothing(read, place, number):
    """MuJoCo would take the geom's density instead of ``mass="nan"``: 4.19 kg."""
    text = number if place == "mass" else f"0 {number} 0"
    with pytest.raises(ReadError, match=rf"model\.xml: <geom> 'g' has {place}='.*{number}"):
        read(
            '<mujoco><worldbody><body><joint/><geom name="g" size="0.1" '
            f'{place}="{text}"/></body></worldbody></mujoco>'
        )


def test_a_body_may_be_called_nan(read):
    text = f'<mujoco><worldbody><body name="nan"><joint/>{BALL}</body></worldbody></mujoco>'
    assert read(text).body("nan").mass > 0


def test_an_infinite_mass_is_refused(read):
    with pytest.raises(ReadError, match=r"model\.xml: body 'b' has body_mass = inf"):
        read(
            '<mujoco><worldbody><body name="b"><joint/><geom size="0.1" mass="inf"/></body>'
            "</worldbody></mujoco>"
        )


HUGE = {
    "one": '<replicate count="1000000000"><geom size="1"/></replicate>',
    "nested": '<replicate count="1000">' * 4 + '<geom size="1"/>' + "</replicate>" * 4,
    "digits": f'<replicate count="{"9" * 400}"><geom size="1"/></replicate>',
    "composite": '<body><composite type="cable" count="1000000 1 1" curve="s"/></body>',
    "flexcomp": '<body><flexcomp name="f" type="grid" count="9999 9999 9999"/></body>',
}


@pytest.mark.parametrize("kind", HUGE)
def test_what_stands_for_too_many_elements_is_refused(read, kind):
    with pytest.raises(ReadError, match=r"model\.xml: <.*more elements than the 100,000 read"):
        read(f"<mujoco><worldbody>{HUGE[kind]}</worldbody></mujoco>")


def test_a_few_copies_are_read(read):
    ball = f"<body><joint/>{BALL}</body>"
    text = f'<mujoco><worldbody><replicate count="3">{ball}</replicate></worldbody></mujoco>'
    assert read(text).nv == 3


def test_a_compile_that_does_not_end_is_ended(read, monkeypatch):
    """The limit on elements aside, MuJoCo's C code would go on for days."""
    monkeypatch.setattr(mjcf_numbers, "MOST_ELEMENTS", 10**12)
    monkeypatch.setattr(mjcf_process, "LONGEST", 0.2)
    with pytest.raises(ReadError, match=r"model\.xml: MuJoCo took longer than 0\.2 s"):
        read(f"<mujoco><worldbody>{HUGE['one']}</worldbody></mujoco>")
    monkeypatch.undo()
    assert read(EVERYTHING).nv == 13  # by another process


def test_a_compiler_that_dies_is_an_error(read):
    read(EVERYTHING)
    assert mjcf_process._compiler._process is not None
    mjcf_process._compiler._process.kill()
    with pytest.raises(ReadError, match=r"model\.xml: .* its process ended by SIGKILL"):
        read(EVERYTHING)
    assert read(EVERYTHING).nv == 13


def test_a_compiler_that_waited_long_enough_is_replaced(read, monkeypatch):
    read(EVERYTHING)
    monkeypatch.setattr(mjcf_process, "KEPT", 0.01)
    mjcf_process._compiler.end()
    read(EVERYTHING)
    assert mjcf_process._compiler._process is not None
    assert mjcf_process._compiler._process.wait(timeout=60) == 0
    monkeypatch.undo()
    assert read(EVERYTHING).nv == 13


def test_memory_has_a_limit(read, monkeypatch):
    mjcf_process._compiler.end()
    monkeypatch.setattr(mjcf_process, "MEMORY", 2**20)
    with pytest.raises(ReadError, match=r"model\.xml: MuJoCo"):
        read('<mujoco><size memory="1G"/><worldbody>' + BALL * 20_000 + "</worldbody></mujoco>")
    mjcf_process._compiler.end()


def test_no_log_is_left_in_the_user_s_folder(read, tmp_path, monkeypatch):
    """MuJoCo writes its warnings into the folder it runs in; here they are warnings of Python."""
    monkeypatch.chdir(tmp_path)
    text = EVERYTHING.replace('pos="0 0 5"', 'pos="0 0 5" user="nan"')
    with pytest.warns(ModelWarning, match="MuJoCo warns: .*NaN"):
        read(text)
    assert [file.name for file in tmp_path.iterdir()] == ["model.xml"]


ROUNDED = """<mujoco model="linkage"><option><flag contact="disable"/></option><worldbody>
  <body name="crank"><joint name="crank" axis="0 -1 0"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0"/>
    <body name="coupler" pos="0.2 0 0" euler="0 -53.1301 0"><joint name="coupler" axis="0 -1 0"/>
      <geom type="capsule" size="0.01" fromto="0 0 0 0.6 0 0"/>
      <site name="coupler_end" pos="0.6 0 0"/></body></body>
  <body name="rocker" pos="0.7 0 0" euler="0 -106.26 0"><joint name="rocker" axis="0 -1 0"/>
    <geom type="capsule" size="0.01" fromto="0 0 0 0.5 0 0"/>
    <site name="rocker_end" pos="0.5 MISS 0"/></body>
  </worldbody><equality><connect name="pin" site1="coupler_end" site2="rocker_end"/></equality>
</mujoco>"""


def test_anchors_that_miss_by_rounding_are_closed(read):
    """Two of three equations count whether or not the third closes to the last digit."""
    m = read(ROUNDED.replace("MISS", "3e-8"))
    with pytest.warns(ModelWarning, match="second frame of 'pin' was moved by 3e-08 m"):
        x = px.assemble(m, velocity=[1.0, 0.0, 0.0])
    assert (x.mobility, x.redundant) == (1, 1)
    tau = np.array([0.1, 0.0, 0.0])
    wanted = px.Dynamics(read(ROUNDED.replace("MISS", "0"))).loop_forces(x.q, x.v, tau)
    found = px.Dynamics(m).loop_forces(x.q, x.v, tau)
    np.testing.assert_allclose(found.a, wanted.a, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.loop_force, wanted.loop_force, rtol=0, atol=1e-9)
    assert np.abs(found.loop_force).max() > 0.1

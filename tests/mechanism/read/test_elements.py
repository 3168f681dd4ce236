"""Every element of the formats is honoured, named, refused, or known to have no effect."""

import re
from pathlib import Path

import pytest

import phalanx as px
from phalanx.mechanism.read import ModelWarning
from phalanx.mechanism.read.elements import FORMATS, INSIDE, row_of

DOCS = Path(__file__).parents[3] / "docs" / "models.md"
# elements of the format's own schema (urdf.xsd), and of transmissions as ROS documents them
URDF = {
    "robot": "link joint material transmission gazebo sensor",
    "link": "inertial visual collision",
    "inertial": "origin mass inertia",
    "visual": "origin geometry material",
    "geometry": "box cylinder sphere mesh",
    "material": "color texture",
    "joint": "origin parent child axis calibration dynamics limit safety_controller mimic "
    "hardwareInterface",
    "transmission": "type leftActuator rightActuator flexJoint rollJoint gap_joint passive_joint "
    "use_simulated_gripper_joint mechanicalReduction actuator joint",
    "actuator": "mechanicalReduction hardwareInterface",
}


def sdf_schema() -> dict[str, str]:
    """Children of each element, of all versions that are read."""
    lines = Path(__file__).with_name("sdf_elements.txt").read_text().splitlines()[1:]
    return dict(line.split(": ") for line in lines)


def mjcf_schema() -> tuple[dict[str, str], dict[str, list[str]]]:
    """Children and attributes of each element, as the installed MuJoCo prints them."""
    mujoco = pytest.importorskip("mujoco")
    children: dict[str, list[str]] = {}
    attributes: dict[str, list[str]] = {}
    open_at: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        found = re.match(r"( *)([\w()]+) \([!?*R]\) *(.*)", line)
        if found is None:  # more attributes of the element before
            attributes[open_at[-1]] += line.split()
            continue
        depth, tag = len(found[1]) // 3, found[2].replace("(world)", "")
        del open_at[depth:]
        if open_at:
            children.setdefault(open_at[-1], []).append(tag)
        open_at.append(tag)
        attributes.setdefault(tag, []).extend(found[3].split())
    return {tag: " ".join(found) for tag, found in children.items()}, attributes


def outside_of_the_table(name: str, root: str, schema: dict[str, str]) -> list[str]:
    missing, seen, waiting = [], set(), [root]
    while waiting:
        parent = waiting.pop()
        if parent in seen:
            continue
        seen.add(parent)
        for child in schema.get(parent, "").split():
            row, covers = row_of(FORMATS[name], parent, child)
            if row is None:
                missing.append(f"{parent}/{child}")
            elif not covers:
                waiting.append(child)
    return missing


def test_every_element_of_urdf_is_in_the_table():
    assert not outside_of_the_table("URDF", "robot", URDF)


def test_every_element_of_sdf_is_in_the_table():
    schema = sdf_schema()
    assert len(schema) > 100 and "link" in schema["model"].split()
    assert not outside_of_the_table("SDF", "sdf", schema)


def test_every_element_of_mjcf_is_in_the_table():
    schema, attributes = mjcf_schema()
    assert "actuator" in schema["mujoco"].split() and "density" in attributes["option"]
    assert not outside_of_the_table("MJCF", "mujoco", schema)
    known = {element for row in FORMATS["MJCF"] for element in row.elements}
    wanted = {f"{tag}@{name}" for tag in ("option", "flag") for name in attributes[tag]}
    assert not wanted - known


@pytest.mark.parametrize("name", FORMATS)
def test_no_element_is_in_two_rows(name):
    elements = [x.removesuffix(INSIDE) for row in FORMATS[name] for x in row.elements]
    assert len(elements) == len(set(elements))


@pytest.mark.parametrize("name", FORMATS)
def test_the_documentation_has_the_table(name):
    section = DOCS.read_text().partition(f"#### {name}\n")[2].partition("\n#")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    wanted = [
        f"| {row.what} | {row.status} | {' '.join(f'`{x}`' for x in row.elements)} |"
        for row in FORMATS[name]
    ]
    assert rows == wanted


# -- files ---------------------------------------------------------------------------------------

LINK = '<link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
LINK += 'izz="1"/></inertial>{}</link>'


def load(folder, name, text):
    file = folder / name
    file.write_text(text)
    return px.load(file)


def test_urdf_names_sensors_and_unknown_elements_in_one_warning(tmp_path):
    text = f'<robot name="r">{LINK.format("<wing/>")}<sensor name="s"/><rotor/></robot>'
    wanted = (
        r"r.urdf: not honoured: sensors: 1; elements that URDF does not have: <rotor> in <robot>, "
        r"<wing> in <link>\.$|<wing> in <link>, <rotor>"
    )
    with pytest.warns(ModelWarning, match=wanted) as caught:
        machine = load(tmp_path, "r.urdf", text)
    assert len(caught) == 1 and machine.unsupported[0] == "sensors: 1"


def test_collision_shapes_of_urdf_are_listed_without_a_warning(tmp_path):
    """URDF says what a link is shaped like and nothing of what happens when it touches."""
    shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    machine = load(tmp_path, "r.urdf", f'<robot name="r">{LINK.format(shape)}</robot>')
    assert machine.unsupported == ("collision shapes: 1",)


def sdf(link: str, model: str = "") -> str:
    inertial = "<inertial><mass>1</mass></inertial>"
    return (
        f'<sdf version="1.9"><model name="m"><link name="a">{inertial}{link}</link>{model}'
        "</model></sdf>"
    )


def test_sdf_names_what_it_passes_over_in_one_warning(tmp_path):
    link = "<collision name='c'/><sensor name='s' type='imu'/><enable_wind>true</enable_wind><x/>"
    with pytest.warns(ModelWarning) as caught:
        machine = load(tmp_path, "m.sdf", sdf(link, '<plugin name="p" filename="f"/>'))
    assert [str(x.message).partition("m.sdf: ")[2] for x in caught] == [
        "not honoured: contacts: 1; sensors: 1; plugins: 1; wind and air: 1; "
        "elements that SDF does not have: <x> in <link>."
    ]
    assert len(machine.unsupported) == 5


def test_what_says_no_is_not_named(tmp_path):
    link = "<enable_wind>false</enable_wind><kinematic>0</kinematic><self_collide>0</self_collide>"
    decay = "<velocity_decay><linear>0</linear><angular>0.0</angular></velocity_decay>"
    assert load(tmp_path, "m.sdf", sdf(link + decay)).unsupported == ()


HOPPER = """<mujoco model="hopper"><option timestep="0.001"/>
<default><geom CONTACT/></default>
<worldbody><geom type="plane" size="1 1 1"/><body name="foot" pos="0 0 1"><freejoint/>
  <geom size="0.1"/><site name="s"/></body>
  <body name="leg"><joint name="knee" axis="0 1 0"/><geom size="0.1" pos="1 0 0"/>
    <body name="toe" pos="2 0 0"><joint name="toe" axis="0 1 0"/><geom size="0.1"/></body></body>
</worldbody>
<actuator><motor name="pull" joint="knee"/>
  <intvelocity name="calf" joint="knee" kp="1" actrange="-1 1"/>
</actuator>
<sensor><accelerometer name="felt" site="s"/></sensor></mujoco>"""


def test_mjcf_names_contacts_sensors_and_actuators_in_one_warning(tmp_path):
    pytest.importorskip("mujoco")
    with pytest.warns(ModelWarning) as caught:
        machine = load(tmp_path, "hopper.xml", HOPPER.replace("CONTACT", ""))
    assert [str(x.message).partition("hopper.xml: ")[2] for x in caught] == [
        "not honoured: contacts: 4 geoms that can collide; sensors: felt; actuators with a state, "
        "or that are not of hinges, slides and fixed tendons: calf."
    ]
    assert [actuator.name for actuator in machine.actuators] == ["pull"]
    assert machine.unsupported[2].startswith("timestep and integrator") and caught


@pytest.mark.parametrize(
    ("change", "touching"),
    [
        ("", 4),
        ('contype="0" conaffinity="0"', 0),
        ('contype="1" conaffinity="0"', 0),
        ('contype="2"', 0),
    ],
)
def test_contacts_are_counted_as_mujoco_filters_them(tmp_path, change, touching):
    mujoco = pytest.importorskip("mujoco")
    from phalanx.mechanism.read.mjcf_process import compile_mjcf
    from phalanx.mechanism.read.mjcf_unsupported import colliding_geoms

    text = HOPPER.replace("CONTACT", change)
    file = tmp_path / "model.xml"
    file.write_text(text)
    assert colliding_geoms(compile_mjcf(file).model) == touching
    # all in one place, every pair that is not filtered touches
    data = mujoco.MjData(model := mujoco.MjModel.from_xml_string(text))
    model.geom_margin[:], model.geom_pos[1:] = 10.0, 0.0
    mujoco.mj_forward(model, data)
    assert len({int(g) for g in data.contact.geom.ravel()}) == touching


def test_an_excluded_pair_does_not_touch(tmp_path):
    pytest.importorskip("mujoco")
    from phalanx.mechanism.read.mjcf_process import compile_mjcf
    from phalanx.mechanism.read.mjcf_unsupported import colliding_geoms

    names = [("world", "leg"), ("world", "toe"), ("foot", "leg"), ("foot", "toe")]
    excluded = "".join(f'<exclude body1="{a}" body2="{b}"/>' for a, b in names)
    text = HOPPER.replace("CONTACT", "").replace(
        "<sensor>", f"<contact>{excluded}</contact><sensor>"
    )
    (tmp_path / "model.xml").write_text(text)
    assert colliding_geoms(compile_mjcf(tmp_path / "model.xml").model) == 2


SWITCHED = """<mujoco><option density="5"><flag contact="disable" {}="disable"/></option><worldbody>
<body name="a"><joint name="a" axis="0 1 0" range="-1 1" limited="true" frictionloss="2"/>
  <geom size="0.1"/></body>
<body name="b"><joint name="b" axis="0 1 0"/><geom size="0.1"/></body></worldbody>
<equality><joint joint1="a" joint2="b"/></equality>
<actuator><position name="p" joint="b" kp="3" ctrlrange="-1 1" ctrllimited="true"/></actuator>
</mujoco>"""


@pytest.mark.parametrize(
    ("flag", "what"),
    [
        ("limit", lambda m: m.joint("a").upper[0] == float("inf")),
        ("frictionloss", lambda m: m.joint("a").friction[0] == 0),
        ("equality", lambda m: m.joint("a").mimic is None),
        ("constraint", lambda m: m.joint("a").mimic is None and m.joint("a").friction[0] == 0),
        ("actuation", lambda m: not (m.actuators[0].gain.any() or m.actuators[0].bias.any())),
        ("clampctrl", lambda m: m.actuators[0].control_range[1] == float("inf")),
        ('spring="disable" damper', lambda m: m.fluid is None),
    ],
)
def test_flags_of_mjcf_are_honoured(tmp_path, flag, what):
    pytest.importorskip("mujoco")
    assert what(load(tmp_path, "m.xml", SWITCHED.format(flag)))
    assert not what(load(tmp_path, "n.xml", SWITCHED.format("autoreset")))

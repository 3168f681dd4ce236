"""What is written is read back as the same machine, by us and by Pinocchio."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import phalanx as px
from phalanx.base.errors import InvalidInput, InvalidModel, WriteError
from phalanx.mechanism import (
    Body,
    Box,
    Capsule,
    Continuous,
    Cylinder,
    Cylindrical,
    Floating,
    Joint,
    Mechanism,
    Mesh,
    Mimic,
    Planar,
    Prism,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    Strut,
    Universal,
    Visual,
)
from phalanx.mechanism.read import ModelWarning, named
from strategies import mechanisms

ROBOTS = (
    *("ur5_robot", "panda", "xarm7", "z1", "solo12", "hyq_no_sensors", "talos_left_arm"),
    *("kinova", "bolt", "tiago_no_hand", "double_pendulum_continuous", "baxter"),
)
ROUNDING = 1e-14
INERTIA = np.diag([0.02, 0.03, 0.04])
PER_FREEDOM = ("velocity_limit", "effort_limit", "damping", "friction", "reflected_inertia")


def quietly(call, *args):
    """With warnings of the readers, which are about massless carriers and known inertias."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return call(*args)


def back(mechanism, folder):
    return quietly(px.load, quietly(px.export_urdf, mechanism, folder / "machine.urdf"))


def motion(mechanism, samples=3):
    rng = np.random.default_rng(5)
    q = mechanism.random_positions(samples, seed=rng)
    return q, *rng.standard_normal((2, samples, mechanism.nv))


def forces(mechanism, q, v, a):
    function = px.expression(px.inverse_dynamics.recursive, replace(mechanism, loops=()))
    return np.array([function(*row).full().ravel() for row in zip(q, v, a, strict=True)])


def assert_same_machine(again, mechanism):
    x = motion(mechanism)
    ours, theirs = forces(mechanism, *x), forces(again, *x)
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=ROUNDING * np.abs(ours).max(initial=0))
    np.testing.assert_array_equal(again.position_limits, mechanism.position_limits)
    for number in PER_FREEDOM:
        np.testing.assert_array_equal(again.per_freedom(number), mechanism.per_freedom(number))
    assert again.total_mass == mechanism.total_mass
    assert [loop.name for loop in again.loops] == [loop.name for loop in mechanism.loops]
    assert {frame.name for frame in mechanism.frames} <= set(again.frame_names)


def one_joint(motion, **numbers):
    body = Body("link", 2.0, np.array([0.1, 0.2, 0.3]), INERTIA)
    pose = px.Pose.from_rpy((0.3, -0.2, 0.1), (0.4, 0.5, -0.6))
    return Mechanism(
        "m", [Body("base"), body], [Joint("j", "base", "link", motion, pose, **numbers)]
    )


@pytest.mark.parametrize("name", px.library.names())
def test_every_machine_of_the_library_comes_back(tmp_path, name):
    machine = px.load(name)
    assert_same_machine(back(machine, tmp_path), machine)


@pytest.mark.skipif(not named.robot_files(), reason="example-robot-data is not installed")
@pytest.mark.parametrize("name", ROBOTS)
def test_published_robots_come_back_with_their_shapes(tmp_path, name):
    robot = quietly(px.load, f"robot:{name}")
    again = back(robot, tmp_path)
    assert_same_machine(again, robot)
    for body in robot.bodies:
        shapes = zip(body.visuals, again.body(body.name).visuals, strict=True)
        for ours, theirs in shapes:
            assert type(ours.geometry) is type(theirs.geometry) and ours.colour == theirs.colour
            np.testing.assert_allclose(theirs.pose.matrix, ours.pose.matrix, atol=1e-15)
            if isinstance(ours.geometry, Mesh):
                assert theirs.geometry.path.read_bytes() == ours.geometry.path.read_bytes()
                assert theirs.geometry.path.is_relative_to(tmp_path.resolve())


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mechanisms())
def test_machines_of_all_joints_come_back_or_are_refused(tmp_path, mechanism):
    try:
        again = back(mechanism, tmp_path)
    except InvalidModel as refused:
        assert "URDF" in str(refused)
        return
    if not any(isinstance(joint.motion, Spherical) for joint in mechanism.joints):
        assert_same_machine(again, mechanism)
    assert again.nv == mechanism.nv and again.total_mass == mechanism.total_mass


@pytest.mark.parametrize(
    "machine",
    [
        one_joint(Revolute((1, 2, 3)), lower=-1.0, upper=2.0, damping=0.3, friction=0.1),
        one_joint(Revolute(), velocity_limit=3.0),
        one_joint(Revolute(), upper=2.0),
        one_joint(Continuous(), effort_limit=5.0),
        one_joint(Continuous(), lower=-4.0, upper=4.0),
        one_joint(Prismatic((0, 1, 1)), rotor_inertia=1e-3, gear_ratio=-20.0),
        one_joint(Universal(), lower=(-1, -2), upper=(1, 2), damping=(0.1, 0.2)),
        one_joint(Cylindrical((1, 1, 0)), rotor_inertia=(1e-3, 0.0), gear_ratio=(30.0, 1.0)),
        one_joint(Planar((0, 1, 0)), damping=0.2),
        one_joint(Floating()),
    ],
    ids=lambda machine: f"{machine.joints[0].motion.kind}",
)
def test_joints_and_their_numbers(tmp_path, machine):
    assert_same_machine(back(machine, tmp_path), machine)


def test_gravity_and_followers(tmp_path):
    machine = one_joint(Revolute())
    second = Body("more", 1.0, np.ones(3), INERTIA)
    follower = Joint("f", "link", "more", Prismatic(), mimic=Mimic("j", -0.5, 0.1))
    machine = replace(
        machine,
        bodies=[*machine.bodies, second],
        joints=[*machine.joints, follower],
        gravity=np.array([1.0, -2.0, 3.0]),
    )
    again = back(machine, tmp_path)
    assert again.gravity.tolist() == [1.0, -2.0, 3.0] and again.joint("f").mimic == follower.mimic
    assert_same_machine(again, machine)


def test_places_near_the_singularity_of_angles(tmp_path):
    for tilt in (np.pi / 2, np.pi / 2 - 1e-9, -np.pi / 2 + 1e-7):
        machine = one_joint(Revolute())
        pose = px.Pose.from_rpy((1, 2, 3), (0.3, tilt, -0.8))
        machine = replace(machine, joints=[replace(machine.joints[0], pose=pose)])
        theirs = back(machine, tmp_path).joints[0].pose
        np.testing.assert_allclose(theirs.matrix, pose.matrix, rtol=0, atol=1e-15)


def test_a_ball_is_three_hinges_and_it_is_said(tmp_path):
    balls = px.library.chain(2, "spherical")
    with pytest.warns(ModelWarning, match=r"three hinges.*joint_1, joint_2") as caught:
        px.export_urdf(balls, tmp_path / "balls.urdf")
    assert caught[0].filename == __file__
    again = quietly(px.load, tmp_path / "balls.urdf")
    assert [joint.name for joint in again.moving_joints[:3]] == [f"joint_1_{x}" for x in "xyz"]
    # hanging still, both are the same machine
    at_rest = np.zeros((1, balls.nv))
    straight = forces(balls, balls.neutral()[None], at_rest, at_rest)
    np.testing.assert_allclose(
        forces(again, np.zeros((1, 6)), at_rest, at_rest), straight, atol=1e-12
    )


def test_shapes_of_all_kinds(tmp_path):
    (tmp_path / "far").mkdir()
    mesh = tmp_path / "far" / "part.stl"
    mesh.write_bytes(b"one")
    near = tmp_path / "to" / "near.stl"
    near.parent.mkdir()
    near.write_bytes(b"two")
    prism = Prism(((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), 0.5)
    pose = px.Pose.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    shapes = [
        Visual(Box((1.0, 2.0, 3.0)), pose, (0.1, 0.2, 0.3, 0.5)),
        Visual(Sphere(0.5), pose),
        Visual(Cylinder(0.5, 2.0), pose),
        Visual(Capsule(0.5, 2.0), pose),
        Visual(Mesh(mesh, (1.0, 2.0, 0.001)), pose),
        Visual(Mesh(mesh), pose),
        Visual(Mesh(near), pose),
        Visual(prism, pose),
    ]
    again = back(Mechanism("m", [Body("b", visuals=tuple(shapes))]), near.parent).bodies[0]
    kinds = [type(visual.geometry).__name__ for visual in again.visuals]
    assert kinds == ["Box", "Sphere", "Cylinder", "Cylinder", "Sphere", "Sphere", *["Mesh"] * 4]
    assert again.visuals[0].colour == (0.1, 0.2, 0.3, 0.5)
    assert again.visuals[1].colour == Visual.colour
    ends = [visual.pose.translation for visual in again.visuals[4:6]]
    np.testing.assert_allclose(np.subtract(*ends), -2.0 * pose.rotation[:, 2], atol=1e-15)
    files = [visual.geometry for visual in again.visuals[6:]]
    assert [file.path.name for file in files] == ["part.stl", "part.stl", "near.stl", "prism.stl"]
    assert files[0].scale == (1.0, 2.0, 0.001) and files[2].path == near.resolve()
    trimesh = pytest.importorskip("trimesh")
    surface = trimesh.load(files[3].path)
    assert surface.is_watertight and surface.volume == pytest.approx(0.25)


def test_surfaces_of_one_name_do_not_take_each_others_place(tmp_path):
    meshes = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        meshes.append(Visual(Mesh(tmp_path / folder / "part.stl")))
        meshes[-1].geometry.path.write_bytes(folder.encode())
    (tmp_path / "to").mkdir()
    again = back(Mechanism("m", [Body("b", visuals=tuple(meshes))]), tmp_path / "to")
    assert [v.geometry.path.read_bytes() for v in again.bodies[0].visuals] == [b"a", b"b"]


@pytest.mark.parametrize(
    ("machine", "reason"),
    [
        (one_joint(Planar(), lower=-1.0), "'j' is planar with lower"),
        (one_joint(Floating(), damping=(0, 0, 0, 1, 1, 1)), "'j' is floating with damping"),
        (one_joint(Spherical(), rotor_inertia=1.0), "'j' is a ball with a rotor"),
        (one_joint(Revolute(), gear_ratio=0.0), "'j' has a gear ratio of zero"),
        (one_joint(Revolute(), stiffness=2.0), "'j' has stiffness, which URDF cannot say"),
        (
            replace(one_joint(Prismatic()), springs=[px.Spring("coil", "base", "link", 50.0)]),
            "has springs, which URDF cannot say",
        ),
        (Mechanism("bell", [Body("ring\a")]), "characters that XML cannot hold"),
    ],
    ids=["planar", "floating", "rotor", "ratio", "stiffness", "spring", "name"],
)
def test_what_urdf_cannot_say_is_refused_by_name(tmp_path, machine, reason):
    with pytest.raises(InvalidModel, match=reason):
        px.export_urdf(machine, tmp_path / "machine.urdf")
    assert not (tmp_path / "machine.urdf").exists()


def test_what_this_writer_does_not_know_is_refused(tmp_path):
    from phalanx.mechanism.write import urdf_tree

    @dataclass(frozen=True, eq=False)
    class Magnetic(Joint):
        flux: float = 0.0

    machine = one_joint(Revolute())
    for flux, told in ((0.0, False), (2.0, True)):
        joint = Magnetic("j", "base", "link", Revolute(), flux=flux)
        odd = replace(machine, joints=[joint])
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(urdf_tree.SAYABLE, Magnetic, urdf_tree.SAYABLE[Joint])
            if told:
                with pytest.raises(InvalidModel, match="joint 'j' has flux, which URDF cannot"):
                    px.export_urdf(odd, tmp_path / "odd.urdf")
            else:
                px.export_urdf(odd, tmp_path / "odd.urdf")


def test_struts_are_left_out_and_it_is_said(tmp_path):
    arm = px.library.double_pendulum()
    frames = [arm.bodies[0].name, arm.bodies[-1].name]
    arm = replace(arm, struts=[Strut("rod", *frames, 1.0, 0.1, 0.05)])
    with pytest.warns(ModelWarning, match="struts.*rod"):
        px.export_urdf(arm, tmp_path / "arm.urdf")


def test_files_that_cannot_be_written(tmp_path):
    arm = px.library.double_pendulum()
    with pytest.raises(InvalidInput, match=r"ends with \.urdf"):
        px.export_urdf(arm, tmp_path / "arm.xml")
    with pytest.raises(WriteError, match="cannot be written"):
        px.export_urdf(arm, tmp_path / "gone" / "arm.urdf")
    lost = Body("b", visuals=(Visual(Mesh(tmp_path / "lost.stl")),))
    (tmp_path / "to").mkdir()
    with pytest.raises(WriteError, match=r"lost\.stl cannot be copied"):
        px.export_urdf(Mechanism("m", [lost]), tmp_path / "to" / "m.urdf")


def test_closures_of_another_machine_are_not_taken_over(tmp_path):
    quietly(px.export_urdf, px.library.four_bar(), tmp_path / "arm.urdf")
    with pytest.raises(InvalidInput, match=r"arm\.closures\.yaml.*no loops"):
        px.export_urdf(px.library.puma560(), tmp_path / "arm.urdf")


@pytest.mark.parametrize(
    "name", ["puma560", "stanford", "torso", "puma600", "robot:panda", "robot:z1", "cat215b"]
)
def test_pinocchio_reads_the_same_machine(tmp_path, name):
    pin = pytest.importorskip("pinocchio")
    if name.startswith("robot:") and not named.robot_files():
        pytest.skip("example-robot-data is not installed")
    machine = px.release_mimics(quietly(px.load, name))
    model = pin.buildModelFromUrdf(str(quietly(px.export_urdf, machine, tmp_path / "m.urdf")))
    model.gravity.linear = machine.gravity
    joints = [model.joints[model.getJointId(joint.name)] for joint in machine.moving_joints]
    rows = [joint.idx_v for joint in joints]
    armature = np.zeros(model.nv)
    armature[rows] = machine.per_freedom("reflected_inertia")
    model.armature = armature
    x = motion(machine)
    for tau, (q, v, a) in zip(forces(machine, *x), zip(*x, strict=True), strict=True):
        theirs = np.zeros((3, model.nv))
        theirs[:, rows] = (q, v, a)
        placed = pin.neutral(model)
        for joint, angle in zip(joints, q, strict=True):
            if joint.nq == 2:  # a continuous joint
                placed[joint.idx_q : joint.idx_q + 2] = np.cos(angle), np.sin(angle)
            else:
                placed[joint.idx_q] = angle
        found = pin.rnea(model, model.createData(), placed, *theirs[1:])[rows]
        np.testing.assert_allclose(found, tau, rtol=0, atol=1e-12 * np.abs(tau).max())


def test_a_joint_that_follows_by_a_polynomial_comes_back(tmp_path):
    arm = px.library.double_pendulum()
    first, second = arm.joints
    coupled = replace(arm, loops=(px.Loop.coupled("cam", second, first, [0.1, 0.5, 0.2]),))
    path = px.export_urdf(coupled, tmp_path / "cam.urdf")
    assert px.load(path).loops == coupled.loops
    still = replace(arm, loops=(px.Loop.coupled("lock", second, None, [0.3]),))
    assert px.load(px.export_urdf(still, tmp_path / "still.urdf")).loops == still.loops

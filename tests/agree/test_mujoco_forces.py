"""Fluids and actuators of MJCF files, compared with what MuJoCo makes of them."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.equations import fluid_forces
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Fluid, merge_fixed
from phalanx.simulation.traversed.field import TraversedField, Workspace

mujoco = pytest.importorskip("mujoco")

SWIMMER = """
<mujoco model="swimmer">
  <option density="4000" viscosity="0.1" wind="0.3 -0.2 0.1" integrator="RK4" timestep="0.002">
    <flag contact="disable"/></option>
  <worldbody>
    <body name="torso">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
      <joint name="yaw" axis="0 0 1"/>
      <geom type="capsule" fromto="1.5 0 0 0.5 0.1 0.05" size="0.1" density="1000"/>
      <body name="mid" pos="0.5 0 0"><joint name="one" axis="0 0 1" armature="0.1"/>
        <geom type="capsule" fromto="0 0 0 -1 0 0" size="0.1" density="1000"/>
        <body name="fin" pos="-0.3 0 0.1" euler="10 20 30">
          <geom type="box" size="0.02 0.1 0.2" density="500"/></body>
        <body name="back" pos="-1 0 0"><joint name="two" axis="0 0.3 1" range="-100 100"/>
          <geom type="capsule" fromto="0 0 0 -1 0 0" size="0.1" density="1000"/></body>
      </body>
    </body>
    <body name="buoy" pos="0 0 3"><freejoint name="float"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/></body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="one" coef="0.7"/><joint joint="two" coef="-1.3"/></fixed>
  </tendon>
  <actuator>
    <motor name="push" joint="one" gear="150" ctrllimited="true" ctrlrange="-1 1"/>
    <position name="hold" joint="two" kp="40" kv="3" gear="1.5" forcerange="-9 12"/>
    <velocity name="pace" joint="one" kv="2"/>
    <general name="odd" joint="two" gaintype="affine" gainprm="2 0.3 -0.4" biastype="affine"
             biasprm="0.5 -1 -0.2"/>
    <motor name="pull" tendon="both" gear="3"/>
  </actuator>
</mujoco>
"""


@pytest.fixture(scope="module")
def swimmer(tmp_path_factory):
    file = tmp_path_factory.mktemp("models") / "swimmer.xml"
    file.write_text(SWIMMER)
    return px.load(file), mujoco.MjModel.from_xml_path(str(file))


def random_states(machine, model, count=20):
    """States here, and MuJoCo's data for them: the free joint comes last, its quaternion apart."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = rng.normal(size=model.nq), rng.normal(size=model.nv)
        mujoco.mj_normalizeQuat(model, data.qpos)
        data.ctrl[:] = 2 * rng.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        q, v = data.qpos.copy(), data.qvel.copy()
        q[-4:] = q[[-3, -2, -1, -4]]
        R = rotation(data)
        v[-6:-3] = R.T @ v[-6:-3]
        yield data, q, v, R


def rotation(data):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, data.qpos[-4:])
    return R.reshape(3, 3)


def in_body_axes(force, R):
    force = force.copy()
    force[-6:-3] = R.T @ force[-6:-3]
    return force


def compiled(machine, build):
    q, v = ca.SX.sym("q", machine.nq), ca.SX.sym("v", machine.nv)
    function = ca.Function("f", [q, v], [ca.densify(build(q, v))])
    return lambda q, v: function(q, v).full().ravel()


@pytest.mark.parametrize("lumped", [False, True])
def test_a_fluid_drags_as_in_mujoco(swimmer, lumped):
    machine, model = swimmer
    machine = merge_fixed(machine) if lumped else machine
    drag = compiled(machine, lambda q, v: fluid_forces(machine, q, v))
    for data, q, v, R in random_states(machine, model):
        ours, theirs = drag(q, v), in_body_axes(data.qfrc_fluid, R)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())


def test_actuators_exert_as_in_mujoco(swimmer):
    machine, model = swimmer
    names = px.ModelActuators().commands(machine)
    assert names == ("push", "hold", "pace", "odd", "pull")
    q, v, u = (
        ca.SX.sym(name, n) for name, n in zip("qvu", (machine.nq, machine.nv, 5), strict=True)
    )
    tau, rate = px.ModelActuators().act(model_of(machine), q, v, ca.SX(0, 1), u)
    function = ca.Function("f", [q, v, u], [ca.densify(tau)])
    assert rate.shape == (0, 1)
    for data, at, speed, R in random_states(machine, model):
        theirs = in_body_axes(data.qfrc_actuator, R)
        np.testing.assert_allclose(
            function(at, speed, data.ctrl).full().ravel(), theirs, atol=1e-10
        )


def mujoco_run(model, q0, v0, controls, steps):
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q0, v0
    for _ in range(steps):
        data.ctrl[:] = controls
        mujoco.mj_step(model, data)
    return data


def test_a_swimmer_swims_as_in_mujoco(swimmer):
    machine, model = swimmer
    model = mujoco.MjModel.from_xml_string(SWIMMER)
    q0, v0 = np.zeros(model.nq), np.zeros(model.nv)
    q0[[3, 4, 7, 8]] = 0.4, -0.6, 3.0, 1.0
    v0[[0, 2, 3]] = 0.5, 1.0, -2.0
    controls = np.array([0.3, 0.5, -0.2, 0.4, 0.1])
    theirs = mujoco_run(model, q0, v0, controls, 500)
    start = np.concatenate([q0[:8], q0[[9, 10, 11, 8]]])
    ours = px.rollout(
        machine,
        start,
        v0,
        actuation=px.ModelActuators(),
        tau=np.tile(controls, (1, 500, 1)),
        step=0.002,
        steps=500,
    )
    moved = ours.q[0, -1]
    np.testing.assert_allclose(moved[:8], theirs.qpos[:8], atol=1e-7)
    still = px.rollout(machine, start, v0, step=0.002, steps=500, forces=()).q[-1]
    assert np.abs(still[:2] - moved[:2]).max() > 0.1  # the fluid and the drives make a difference
    run = px.simulate(
        machine,
        start,
        v0,
        actuation=px.ModelActuators(),
        control=lambda t, q, v: controls,
        duration=1.0,
        step=0.002,
    )
    np.testing.assert_allclose(run["q"][-1], moved, atol=1e-12)


def test_long_machines_are_dragged_by_the_same_law():
    dry = px.library.chain(20)
    wet = replace(dry, fluid=Fluid(1000.0, 0.3, np.array([0.2, 0.1, -0.3])))
    q, v = 0.1 * np.sin(np.arange(20.0)), 0.2 * np.cos(np.arange(20.0))
    drag = compiled(wet, lambda q, v: fluid_forces(wet, q, v))(q, v)
    assert np.abs(drag).min() > 0
    work = Workspace(TraversedField(px.Setup(wet)), 1)
    work.hold([np.zeros((1, 20))])
    traversed = work.rates(0.0, np.concatenate([q, v])[None])[0, 20:]
    wanted = px.Dynamics(dry).forward_dynamics(q, v, drag - dry.per_freedom("damping") * v)
    np.testing.assert_allclose(traversed, wanted, rtol=1e-9, atol=1e-9)

"""Inverse dynamics and mass matrices equal MuJoCo's, for every joint that MJCF has.

MuJoCo's conventions: quaternions (w, x, y, z); a free joint's linear velocity in world axes, its
angular velocity in body axes. Both libraries do a few hundred operations on the same data.
"""

from __future__ import annotations

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

import phalanx as px  # noqa: E402
from evaluate import Numbers, close  # noqa: E402
from phalanx import equations as eq  # noqa: E402

ROUNDING = 1e-11

OPTION = '<option gravity="0.5 -1 -9.81"><flag contact="disable"/></option>'
ARM = f"""<mujoco model="arm">{OPTION}<compiler angle="radian"/><worldbody>
  <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0" armature="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.5 0.1 0" size="0.05"/>
    <body name="fore" pos="0.5 0.1 0" euler="0.3 -0.2 0.5"><joint name="elbow" axis="1 1 0"/>
      <geom type="box" size="0.2 0.05 0.03" pos="0.2 0 0"/>
      <body name="hand" pos="0.4 0 0"><joint name="reach" type="slide" axis="1 0 0.5" armature="2"/>
        <geom type="ellipsoid" size="0.1 0.05 0.07" pos="0.02 0.01 0.03"/>
      </body></body></body></worldbody></mujoco>"""
BALLS = f"""<mujoco model="balls">{OPTION}<worldbody>
  <body name="a" pos="0 0 2"><joint name="one" type="ball" armature="0.05"/>
    <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 -0.3"/>
    <body name="b" pos="0 0.1 -0.6" quat="0.9 0.1 -0.3 0.2"><joint name="two" type="ball"/>
      <geom type="box" size="0.05 0.1 0.25" pos="0 0.05 -0.25"/>
      <body name="c" pos="0 0 -0.5"><joint name="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04"/>
      </body></body></body></worldbody></mujoco>"""
FLYER = f"""<mujoco model="flyer">{OPTION}<worldbody>
  <body name="hull" pos="0 0 1"><freejoint name="free"/>
    <geom type="box" size="0.3 0.2 0.1" pos="0.05 0.02 -0.01"/>
    <body name="left" pos="0 0.3 0"><joint name="l" axis="1 0 0" armature="0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0.4 0.1" size="0.03"/>
      <body name="tip" pos="0 0.4 0.1"><joint name="t" type="ball"/>
        <geom type="box" size="0.1 0.05 0.02" pos="0 0.1 0"/></body></body>
    <body name="right" pos="0 -0.3 0"><joint name="r" type="slide" axis="0 -1 0"/>
      <geom type="capsule" fromto="0 0 0 0 -0.4 0.1" size="0.03"/></body>
  </body></worldbody></mujoco>"""
HAND = f"""<mujoco model="two_on_one">{OPTION}<worldbody>
  <body name="wrist" pos="0 0 1"><joint name="flex" axis="0 1 0"/>
    <joint name="turn" axis="1 0 0" pos="0 0 0"/>
    <geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0"/></body></worldbody></mujoco>"""
MODELS = {"arm": ARM, "balls": BALLS, "flyer": FLYER, "two joints on one body": HAND}


class Pair:
    """One model in both libraries, and a random state in both conventions."""

    def __init__(self, text: str, folder, seed: int) -> None:
        file = folder / "model.xml"
        file.write_text(text)
        self.mechanism = m = px.load(file)
        self.model = mujoco.MjModel.from_xml_path(str(file))
        self.data = mujoco.MjData(self.model)
        assert self.model.nv == m.nv and self.model.nq == m.nq
        rng = np.random.default_rng(seed)
        self.q = m.random_positions(seed=rng)
        self.v, self.a = rng.standard_normal((2, m.nv))
        self.T, turn = np.zeros((m.nv, m.nv)), np.zeros(m.nv)  # theirs = T ours, rates T a + turn
        for joint in m.moving_joints:
            index = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, joint.name)
            row, at = self.model.jnt_dofadr[index], self.model.jnt_qposadr[index]
            qs, vs = m.q_slices[joint.name], m.v_slices[joint.name]
            x, n = self.q[qs], joint.motion.nv
            theirs, block = x, np.eye(n)
            if joint.motion.kind in ("spherical", "floating"):
                theirs = np.array([*x[:-4], x[-1], *x[-4:-1]])
            if joint.motion.kind == "floating":
                R = px.Pose.from_quaternion(np.zeros(3), x[-4:]).rotation
                block[:3, :3] = R
                u, w = self.v[vs][:3], self.v[vs][3:]
                turn[row : row + 3] = R @ np.cross(w, u)
            self.data.qpos[at : at + joint.motion.nq] = theirs
            self.T[row : row + n, vs] = block
        self.data.qvel[:] = self.T @ self.v
        self.data.qacc[:] = self.T @ self.a + turn


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("model", MODELS)
def test_inverse_dynamics(model, seed, tmp_path):
    pair = Pair(MODELS[model], tmp_path, seed)
    mujoco.mj_inverse(pair.model, pair.data)
    tau = Numbers(pair.mechanism).inverse(pair.q, pair.v, pair.a)
    close(tau, pair.T.T @ pair.data.qfrc_inverse, ROUNDING)


SPRUNG = """<mujoco model="sprung"><compiler angle="radian"/>
<option gravity="0 0 -9.81"><flag contact="disable"/></option>
<worldbody><site name="ceiling" pos="0.3 0.1 2"/>
  <body name="hull" pos="0 0.2 1" quat="0.9 0.1 -0.3 0.2"><joint name="free" type="free"
      stiffness="7" damping="0.4"/><geom type="box" size="0.3 0.2 0.1"/>
    <body name="arm" pos="0.3 0 0"><joint name="ball" type="ball" stiffness="3" damping="0.2"/>
      <geom type="box" size="0.2 0.1 0.1" pos="0.2 0 0"/><site name="elbow" pos="0.4 0 0.1"/>
      <body name="hand" pos="0.4 0 0"><joint name="hinge" axis="0 1 1" stiffness="5" ref="0.2"
          springref="0.6"/><joint name="slide" type="slide" axis="1 0 0.5" stiffness="40"
          springref="-0.1" damping="1"/><geom type="box" size="0.1 0.05 0.07"/>
        <site name="palm" pos="0 0.1 -0.1"/></body></body></body></worldbody>
<tendon>
  <spatial name="rope" stiffness="30" damping="2" springlength="0.4">
    <site site="ceiling"/><site site="palm"/></spatial>
  <spatial name="band" stiffness="12"><site site="elbow"/><site site="palm"/></spatial>
</tendon></mujoco>"""


@pytest.mark.parametrize("seed", range(10))
def test_springs_and_dampers(seed, tmp_path):
    pair = Pair(SPRUNG, tmp_path, seed)
    pair.model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    mujoco.mj_forward(pair.model, pair.data)
    n, m = Numbers(pair.mechanism), pair.mechanism
    still = np.zeros(m.nv)
    close(n(eq.passive_forces, pair.q, still), pair.T.T @ pair.data.qfrc_spring, ROUNDING)
    close(n(eq.passive_forces, pair.q, pair.v), pair.T.T @ pair.data.qfrc_passive, ROUNDING)
    close(n(eq.potential_energy, pair.q), pair.data.energy[0], ROUNDING)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("model", MODELS)
def test_mass_matrix_with_armature(model, seed, tmp_path):
    pair = Pair(MODELS[model], tmp_path, seed)
    mujoco.mj_forward(pair.model, pair.data)
    columns = []
    for unit in np.eye(pair.model.nv):
        column = np.zeros(pair.model.nv)
        mujoco.mj_mulM(pair.model, pair.data, column, unit)
        columns.append(column)
    M = np.transpose(columns)
    close(Numbers(pair.mechanism).mass_matrix(pair.q), pair.T.T @ M @ pair.T, ROUNDING)


@pytest.mark.parametrize("model", MODELS)
def test_bodies_stand_where_mujoco_puts_them(model, tmp_path):
    pair = Pair(MODELS[model], tmp_path, 1)
    mujoco.mj_forward(pair.model, pair.data)
    n = Numbers(pair.mechanism)
    for i in range(1, pair.model.nbody):
        name = mujoco.mj_id2name(pair.model, mujoco.mjtObj.mjOBJ_BODY, i)
        X = n(eq.forward_kinematics, pair.q, frame=name)
        close(X[:3, 3], pair.data.xpos[i], 1e-12, name)
        close(X[:3, :3], pair.data.xmat[i].reshape(3, 3), 1e-12, name)


@pytest.mark.parametrize("model", MODELS)
def test_forward_dynamics_compiled(model, tmp_path):
    pair = Pair(MODELS[model], tmp_path, 2)
    tau = np.random.default_rng(3).standard_normal(pair.mechanism.nv)
    pair.data.qfrc_applied[:] = np.linalg.solve(pair.T.T, tau)
    mujoco.mj_forward(pair.model, pair.data)
    a = px.Dynamics(pair.mechanism).forward_dynamics(pair.q, pair.v, tau)
    # back to MuJoCo's rates: T a, and the turning of a free joint's axes
    turn = pair.data.qacc - pair.T @ a
    wanted = np.zeros(pair.model.nv)
    if "free" in pair.mechanism.v_slices:
        s = pair.mechanism.v_slices["free"]
        u, w = pair.v[s][:3], pair.v[s][3:]
        wanted[:3] = pair.T[:3, s][:, :3] @ np.cross(w, u)
    close(turn, wanted, 1e-9)  # M's condition near 1e4

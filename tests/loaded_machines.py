"""Small machines with any set of loads, and their motion by numpy alone.

Every load is worked out here by hand, on matrices of the machine without any: a way of running that
drops one, or takes it twice, is off by far more than a tolerance.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

import phalanx as px
from phalanx.equations import loops, position_rate
from phalanx.mechanism import Body, Frame, Joint, Mechanism, Pose, Prismatic, Revolute, Spring
from phalanx.mechanism.fluid import Fluid, FluidBox
from phalanx.mechanism.loads import Load

SLIP = 1e-2  # of dry friction [rad/s or m/s]
PAYLOAD = 0.8  # [kg], a point mass at the tool
WRENCH = np.array([3.0, -2.0, 4.0, 0.5, -0.7, 0.3])  # at the tool, in its axes
BASE = np.array([0.4, -1.1, 0.9])  # acceleration of the root [m/s²]
DAMPER = 6.0  # of the spring between frames [N·s/m]
SIDES = np.array([0.3, 0.2, 0.25])  # [m], of the box at the tool that the fluid acts on
FLUID = Fluid(900.0, 4.0, np.array([0.3, -0.4, 0.2]), [FluidBox("tool", Pose(), SIDES)])
OTHER_MASS = 2.3  # [kg], of the parameter
NUMBERS = {  # of each joint
    Load.DAMPING: {"damping": (0.9, 1.4, 0.7)},
    Load.STIFFNESS: {"stiffness": (30.0, 20.0, 45.0), "rest": (0.2, -0.3, 0.1)},
    Load.FRICTION: {"friction": (0.6, 0.9, 0.4), "backward_friction": (0.8, 0.5, 0.7)},
    Load.ROTORS: {"rotor_inertia": (0.2, 0.01, 0.15), "gear_ratio": (1.0, 5.0, 1.0)},
}
OF_JOINTS = frozenset(NUMBERS)


def arm(has: frozenset[Load] = frozenset()) -> Mechanism:
    """A hinge, a slide and a hinge, with a tool; and the loads asked for."""
    axes = (Revolute((0.0, 0.0, 1.0)), Prismatic((1.0, 0.0, 0.0)), Revolute((0.0, 1.0, 0.0)))
    seats = ((0.0, 0.0, 0.1), (0.3, 0.1, 0.0), (0.25, 0.0, 0.05))
    bodies, joints = [Body("root")], []
    for k, (motion, seat) in enumerate(zip(axes, seats, strict=True)):
        mass, inertia = 1.5 - 0.2 * k, np.diag([0.02, 0.03, 0.025]) * (1 + k)
        bodies.append(Body(f"link_{k}", mass, np.array([0.1, 0.02 * k, 0.03]), inertia))
        name, pose = f"joint_{k}", Pose(translation=np.array(seat))
        joints.append(Joint(name, bodies[k].name, f"link_{k}", motion, pose))
    anchor = Frame("anchor", "root", Pose(translation=np.array([0.5, 0.6, 0.2])))
    tool = Frame("tool", "link_2", Pose(translation=np.array([0.2, 0.1, -0.1])))
    m = Mechanism("arm", bodies, joints, frames=[anchor, tool])
    return loaded(m, [joint.name for joint in joints], has)


def platform(has: frozenset[Load] = frozenset()) -> Mechanism:
    """A platform in the plane on three legs; loads are of its driven joints, of an elbow too."""
    m = px.library.planar_3rrr()
    vertex = m.frame("vertex_1")
    frames = [Frame("anchor", "base", Pose(translation=np.array([0.9, 0.8, 0.0])))]
    frames.append(Frame("tool", vertex.body, vertex.pose))
    m = replace(m, frames=[*m.frames, *frames])
    return loaded(m, ["drive_1", "elbow_2", "drive_3"], has)


def loaded(m: Mechanism, names: list[str], has: frozenset[Load]) -> Mechanism:
    """A machine with loads of three of its joints, and those at its frames."""
    joints = list(m.joints)
    for load in sorted(OF_JOINTS & has):
        for field, values in NUMBERS[load].items():
            for name, value in zip(names, values, strict=True):
                at = next(k for k, joint in enumerate(joints) if joint.name == name)
                joints[at] = replace(joints[at], **{field: value})
    m = replace(m, joints=joints)
    if Load.SPRINGS in has:
        damping = DAMPER if Load.DAMPING in has else 0.0
        m = replace(m, springs=[Spring("cord", "anchor", "tool", 80.0, damping, 0.4)])
    if Load.PAYLOAD in has:
        m = px.attach(m, "tool", Body("weight", PAYLOAD, np.zeros(3), np.zeros((3, 3))))
    if Load.FLUID in has:  # after the payload, which would be dragged too
        m = replace(m, fluid=FLUID)
    return m


class Plain:
    """A machine without loads, and what each load does to it."""

    def __init__(self, m: Mechanism, names: list[str], parameter: str, method=loops.multipliers):
        """Compile quantities of the machine itself."""
        self.m, self.parameter = m, parameter
        self.freedoms = [m.v_slices[name].start for name in names]
        self.positions = [m.q_slices[name].start for name in names]
        options = {"forward": method} if m.loops else {}
        self.d = px.Dynamics(m, parameters=["gravity", f"{parameter}.mass"], **options)
        self.rate = px.compile(px.expression(position_rate, m))

    def given(self, has) -> tuple:
        """Gravity in a root that may move, and the mass of a body."""
        g = np.array(self.m.gravity) - (BASE if Load.MOVING_BASE in has else 0)
        return g, OTHER_MASS if Load.PARAMETERS in has else self.m.body(self.parameter).mass

    def forces(self, q, v, has) -> np.ndarray:
        """Joint forces of all loads but rotors and what moves with them."""
        tau, at = np.zeros(self.m.nv), self.freedoms
        x, u = q[self.positions], v[at]
        if Load.DAMPING in has:
            tau[at] -= np.array(NUMBERS[Load.DAMPING]["damping"]) * u
        if Load.STIFFNESS in has:
            numbers = NUMBERS[Load.STIFFNESS]
            tau[at] -= np.array(numbers["stiffness"]) * (x - np.array(numbers["rest"]))
        if Load.FRICTION in has:
            numbers = NUMBERS[Load.FRICTION]
            size = np.where(u < 0, numbers["backward_friction"], numbers["friction"])
            tau[at] -= size * np.tanh(u / SLIP)
        X = self.d.forward_kinematics(q, frame="tool", **self._named(has))
        J = self.d.jacobian(q, frame="tool", **self._named(has))
        if Load.WRENCHES in has:
            turned = np.concatenate([X[:3, :3] @ WRENCH[:3], X[:3, :3] @ WRENCH[3:]])
            tau += J.T @ turned
        if Load.FLUID in has:
            R, width, others = X[:3, :3], SIDES.mean(), SIDES[[1, 2, 0]] * SIDES[[2, 0, 1]]
            u, w = R.T @ (J[:3] @ v - FLUID.wind), R.T @ J[3:] @ v
            edges = SIDES * (SIDES[[1, 2, 0]] ** 4 + SIDES[[2, 0, 1]] ** 4) / 64
            force = -FLUID.density * others * np.abs(u) * u / 2
            force -= 3 * np.pi * width * FLUID.viscosity * u
            moment = -FLUID.density * edges * np.abs(w) * w
            moment -= np.pi * width**3 * FLUID.viscosity * w
            tau += J.T @ np.concatenate([R @ force, R @ moment])
        if Load.SPRINGS in has:
            line = X[:3, 3] - np.asarray(self.m.frame("anchor").pose.translation)
            length = np.linalg.norm(line)
            slope = J[:3].T @ (line / length)
            tau -= slope * 80.0 * (length - 0.4)
            if Load.DAMPING in has:
                tau -= slope * DAMPER * (slope @ v)
        return tau

    def _named(self, has) -> dict:
        gravity, mass = self.given(has)
        return {"gravity": gravity, f"{self.parameter}_mass": mass}

    def inertia(self, q, v, has) -> tuple[np.ndarray, np.ndarray]:
        """What rotors and a payload add to the mass matrix and to the bias."""
        M, c = np.zeros((self.m.nv, self.m.nv)), np.zeros(self.m.nv)
        if Load.ROTORS in has:
            numbers = NUMBERS[Load.ROTORS]
            felt = np.array(numbers["rotor_inertia"]) * np.array(numbers["gear_ratio"]) ** 2
            M[self.freedoms, self.freedoms] += felt
        if Load.PAYLOAD in has:
            named = self._named(has)
            J = self.d.jacobian(q, frame="tool", **named)[:3]
            dJ = self.d.jacobian_rate(q, v, frame="tool", **named)[:3]
            M += PAYLOAD * J.T @ J
            c += PAYLOAD * J.T @ (dJ @ v - self.given(has)[0])
        return M, c

    def torques(self, q, v, a, has) -> np.ndarray:
        """Joint forces of the tree for a motion, by inverse dynamics, loads subtracted."""
        M, c = self.inertia(q, v, has)
        rigid = self.d.inverse_dynamics(q, v, a, **self._named(has))
        return rigid + M @ a + c - self.forces(q, v, has)

    def accelerations(self, q, v, tau, has) -> np.ndarray:
        """Under joint forces; loops closed: a = a0 + P f, with f of what is added."""
        named = self._named(has)
        M, c = self.inertia(q, v, has)
        tau = tau + self.forces(q, v, has) - c
        free = self.d.forward_dynamics(q, v, tau, **named)
        if not M.any():
            return free
        unit = self.d.forward_dynamics(q, v, tau + np.eye(self.m.nv), **named) - free
        return np.linalg.solve(np.eye(self.m.nv) + unit.T @ M, free)

    def run(self, q, v, tau, has, steps, h) -> tuple[np.ndarray, np.ndarray]:
        """Steps of the classical Runge-Kutta method."""
        x, n = np.concatenate([q, v]), len(q)

        def rate(x):
            return np.concatenate(
                [self.rate(x[:n], x[n:]), self.accelerations(x[:n], x[n:], tau, has)]
            )

        for _ in range(steps):
            k1 = rate(x)
            k2 = rate(x + h / 2 * k1)
            k3 = rate(x + h / 2 * k2)
            k4 = rate(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return x[:n], x[n:]


@lru_cache(1)
def plain_arm() -> Plain:
    """The arm's own numbers."""
    return Plain(arm(), ["joint_0", "joint_1", "joint_2"], "link_1")


@lru_cache(2)
def plain_platform(method=loops.multipliers) -> Plain:
    """The platform's own numbers, loops held by a method."""
    return Plain(platform(), ["drive_1", "elbow_2", "drive_3"], "distal_1", method)

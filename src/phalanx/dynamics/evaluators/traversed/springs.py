"""Springs and dampers over arrays of bodies, batched by type."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.quantities.inverse_dynamics import INVERSE_DYNAMICS_ACTED_ON
from phalanx.dynamics.evaluators.quantities.motion import NO_POSE, VELOCITIES, pose_of
from phalanx.dynamics.evaluators.traversed.arguments import Arguments
from phalanx.equations.quantities.joint_springs import spring_energy, spring_force
from phalanx.equations.quantities.springs import SpringEnd, SpringNumbers, spring_loads
from phalanx.equations.spatial import Twist
from phalanx.kernel import Kernel
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Joint, Mechanism, Motion
from phalanx.mechanism.pose import Array
from phalanx.mechanism.spring import SPRING_NUMBERS


def passive_forces(arguments: Arguments) -> Array:
    """Joint forces of springs and dampers, shape (samples, nv)."""
    m, q, v = arguments.machine.mechanism, arguments["q"], arguments["v"]
    total = JointSpringArrays(m).forces(q) - m.per_freedom("damping") * v
    if m.springs:
        loads = _between(arguments, q, v)
        wrenches = (loads.elastic + loads.damping).reshape(arguments.samples, -1)
        still = np.zeros_like(v)
        arrays = {"q": q, "v": still, "a": still, "external": wrenches}
        # what holds a machine at rest, without weight, against these wrenches
        result = arguments.run(INVERSE_DYNAMICS_ACTED_ON, arrays, [np.zeros((1, 9)), None])
        total -= result.results["tau"]
    return total


def elastic_energy(arguments: Arguments) -> Array:
    """Energy in springs [J], shape (samples,)."""
    m, q = arguments.machine.mechanism, arguments["q"]
    total = JointSpringArrays(m).energy(q)
    if m.springs:
        total += _between(arguments, q, np.zeros((arguments.samples, m.nv))).energy
    return total


def _between(arguments: Arguments, q: Array, v: Array) -> SpringLoads:
    begin = np.array([[*NO_POSE, *np.zeros(6)]])
    moved = arguments.run(VELOCITIES, {"q": q, "v": v}, [begin]).results
    return SpringsBetween(arguments.machine.bodies)(moved["pose"], moved["velocity"])


@final
class JointSpringArrays:
    """The springs in joints of a machine whose joints follow no others."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Sort them by how their joints move."""
        self.nv = mechanism.nv
        kinds: dict[type, list[Joint]] = {}
        for joint in mechanism.sprung_joints:
            kinds.setdefault(type(joint.motion), []).append(joint)
        self._alike = [_SpringGroup(mechanism, joints) for joints in kinds.values()]

    def forces(self, q: Array) -> Array:
        """Along velocities, shape (samples, nv)."""
        total = np.zeros((len(q), self.nv))
        for alike in self._alike:
            total[:, alike.v] = alike.both(q)[0]
        return total

    def energy(self, q: Array) -> Array:
        """[J], shape (samples,)."""
        total = np.zeros(len(q))
        for alike in self._alike:
            total += alike.both(q)[1].sum(axis=(1, 2))
        return total


@final
class _SpringGroup:
    """Joints of one type."""

    def __init__(self, mechanism: Mechanism, joints: list[Joint]) -> None:
        self._motion: Motion = joints[0].motion
        starts = np.array([mechanism.q_slices[joint.name].start for joint in joints])
        self._q = starts[:, None] + np.arange(self._motion.nq)
        starts = np.array([mechanism.v_slices[joint.name].start for joint in joints])
        self.v = starts[:, None] + np.arange(self._motion.nv)
        self._stiffness = np.array([joint.stiffness for joint in joints])
        self._rest = np.array([joint.rest_position for joint in joints])

    def both(self, q: Array) -> tuple[Array, Array]:
        """Force (samples, joints, nv) and energy (samples, joints, 1) of each."""
        force, energy = self._kernel(self._stiffness, self._rest, q[:, self._q])
        return force, energy

    @cached_property
    def _kernel(self) -> Kernel:
        motion = self._motion
        k, rest, x = SX.sym("k", motion.nv), SX.sym("rest", motion.nq), SX.sym("x", motion.nq)
        parts = [spring_force(motion, k, rest, x), spring_energy(motion, k, rest, x)]
        function = ca.Function(
            "springs", [k, rest, x], [ca.densify(p) for p in parts], ["k", "rest", "x"], ["f", "U"]
        )
        return compile_kernel(function)


@final
@dataclass(frozen=True, eq=False)
class SpringLoads:
    """Loads of springs between frames at some states.

    Attributes:
        elastic: Wrenches on nodes by stiffness and preload, (samples, nodes, 6), linear first.
        damping: The same by dampers.
        energy: In springs [J], shape (samples,).
        loss: Power that dampers take out [W], shape (samples,).
    """

    elastic: Array
    damping: Array
    energy: Array
    loss: Array


@final
class SpringsBetween:
    """All springs between frames of a machine."""

    def __init__(self, bodies: Bodies) -> None:
        springs = bodies.mechanism.springs
        placements = [[bodies.place(end) for end in (s.frame_a, s.frame_b)] for s in springs]
        self._count = len(bodies)
        self._nodes = np.array([[node for node, _, _ in ends] for ends in placements], np.intp)
        self._points = np.array([[shift for _, _, shift in ends] for ends in placements])
        self._numbers = np.array(
            [[getattr(spring, name) for name in SPRING_NUMBERS] for spring in springs], float
        )

    def __call__(self, pose: Array, velocity: Array) -> SpringLoads:
        """At poses (samples, 12·nodes) and velocities (samples, 6·nodes) of nodes."""
        samples, on_root = len(pose), self._nodes < 0
        X = pose.reshape(samples, -1, 12)[:, self._nodes]
        V = velocity.reshape(samples, -1, 6)[:, self._nodes]
        X[:, on_root], V[:, on_root] = NO_POSE, 0.0
        elastic, damping, energy, loss = _spring()(X, V, self._points, self._numbers)
        return SpringLoads(
            self._on_nodes(elastic), self._on_nodes(damping), energy.sum(axis=1), loss.sum(axis=1)
        )

    def _on_nodes(self, wrenches: Array) -> Array:
        """The sum on each node, (samples, nodes, 6), of those at ends, (samples, springs, 2, 6)."""
        wrenches[:, self._nodes < 0] = 0.0
        total = np.zeros((len(wrenches), self._count, 6))
        everywhere: Any = (slice(None), self._nodes)  # several ends may be on one node
        np.add.at(total, everywhere, wrenches)
        return total


@cache
def _spring() -> Kernel:
    """(poses, velocities, points of both ends, numbers) -> wrenches on both nodes, energy, loss."""
    X, V, r = SX.sym("X", 12, 2), SX.sym("V", 6, 2), SX.sym("r", 3, 2)
    k = SX.sym("k", len(SPRING_NUMBERS))
    ends = (SpringEnd(pose_of(X[:, i]), Twist.of(V[:, i]), r[:, i]) for i in (0, 1))
    *loads, energy, loss = spring_loads(SpringNumbers(*ca.vertsplit(k)), *ends)
    wrenches = [ca.horzcat(a.numbers, b.numbers).T for a, b in loads]
    function = ca.Function(
        "spring",
        [X.T, V.T, r.T, k],
        ca.cse([*(ca.densify(F) for F in wrenches), energy, loss]),
        ["X", "V", "r", "k"],
        ["elastic", "damping", "energy", "loss"],
    )
    shapes = {"X": (2, 12), "V": (2, 6), "r": (2, 3), "elastic": (2, 6), "damping": (2, 6)}
    return compile_kernel(function, shapes=shapes | {"energy": (), "loss": ()})

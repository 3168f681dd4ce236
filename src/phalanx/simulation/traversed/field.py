"""Rates of a long machine's state (right-hand side), over arrays.

The same as a `Plant`, which is one expression of the whole machine, put together from parts that
are compiled for kinds of joints and bodies. States are rows (samples, n): positions, velocities,
states of subsystems, quantities that are summed up on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.quantities.motion import NO_POSE, VELOCITIES
from phalanx.dynamics.evaluators.quantities.totals import TOTALS
from phalanx.dynamics.evaluators.traversed.frames import frame_motions
from phalanx.dynamics.evaluators.traversed.machine import TraversedMachine
from phalanx.dynamics.evaluators.traversed.positions import Positions
from phalanx.dynamics.evaluators.traversed.springs import JointSpringArrays, SpringsBetween
from phalanx.equations.expression import identifier
from phalanx.kernel.build import checked_threads
from phalanx.mechanism.inertia import no_accelerations
from phalanx.mechanism.pose import Array
from phalanx.simulation.run.energy_lines import WRENCHES, force_names, integrated_lines
from phalanx.simulation.run.plant import Plant
from phalanx.simulation.setup.forces.effort_limits import EffortLimits
from phalanx.simulation.setup.forces.fluid import FluidForce
from phalanx.simulation.setup.forces.joint_forces import Damping, ForceOfEach, JointSprings
from phalanx.simulation.setup.layout import Layout
from phalanx.simulation.setup.setup import Setup
from phalanx.simulation.traversed.interpreted import Interpreted
from phalanx.simulation.traversed.joint_forces import JointForces
from phalanx.simulation.traversed.names_only import names_only
from phalanx.simulation.traversed.parts_in_fluid import PartsInFluid

# the root as passes begin with it: at the origin and at rest
BEGIN = np.array([[*NO_POSE, *np.zeros(6)]])

# writes rates (samples, k) of quantities that are summed up: of (state, tau, power of other forces)
Extra = Callable[["Workspace", Array, Array, Array], None]


@final
class TraversedField:
    """Everything that is compiled for a setup with a long machine; runs and threads share it.

    Attributes:
        setup: What moves and what acts on it.
        layout: The same in numbers.
        bodies: The nodes of the machine.
    """

    def __init__(self, setup: Setup, threads: int | None = None) -> None:
        """Compile.

        Raises:
            NeedsEquations: When control or a subsystem asks for equations of the whole machine.
            InvalidModel: When the mass matrix is singular in every posture.
        """
        m = self.mechanism = setup.mechanism
        self.setup, self.layout = setup, Layout(setup)
        self.threads = checked_threads(threads)
        self.machine = TraversedMachine(m, Automatic(), self.threads, setup.wrenches, cache=True)
        if self.machine.singular_joints:
            raise no_accelerations(m, self.machine.singular_joints)
        self.bodies: Bodies = self.machine.bodies
        self.positions = Positions(self.bodies)
        forces = setup.forces
        self.lines = integrated_lines(self.layout)
        every = zip(forces, force_names(self.layout), strict=True)
        named = [(force, name) for force, name in every if force.acts]
        column = {name: self.lines.index(f"lost.{name}") for _, name in named}
        # a force's place among the lines, and what computes it
        self.joint_forces = [
            (column[name], JointForces(m, [force]))
            for force, name in named
            if isinstance(force, ForceOfEach)
        ]
        self.damper_line = next((column[n] for f, n in named if isinstance(f, Damping)), None)
        wet = [(f, n) for f, n in named if isinstance(f, FluidForce) and f.parts(m)]
        self.fluid_lines = [column[n] for _, n in wet]
        self.storing = [(column[n], f) for f, n in named if f.stores_energy]
        self.joint_springs = JointForces(m, [JointSprings()] if m.sprung_joints else [])
        self.springs_hold = JointSpringArrays(m)
        self.springs = SpringsBetween(self.bodies) if m.springs else None
        self.is_damped = any(isinstance(force, Damping) for force in forces)
        self.fluids = [PartsInFluid(force, self.bodies) for force, _ in wet]
        # a saturation is no force: it has no line
        saturates = any(isinstance(force, EffortLimits) for force in forces)
        efforts = m.effort_limits
        self.efforts = efforts if saturates and np.isfinite(efforts).any() else None
        others = [f for f, _ in named if not isinstance(f, ForceOfEach | FluidForce)]
        drives = len(setup.actuation.energy_lines if setup.actuation else ()) or 1
        # lines of the powers that `acting` gives
        self.acting_lines = [*range(drives)]
        self.acting_lines += [
            column[n] for f, n in named if not isinstance(f, ForceOfEach | FluidForce)
        ]
        if setup.surroundings:
            met = f"exchanged.{type(setup.surroundings).__name__}"
            self.acting_lines.append(self.lines.index(met))
        self.stored = self._stored()
        self.motion, self.totals = (
            self.machine.traversal(VELOCITIES),
            self.machine.traversal(TOTALS),
        )
        self.acting, self.sampled, self.settled = self._functions(others)

    def _functions(
        self, others: Sequence[Any]
    ) -> tuple[ca.Function | None, ca.Function | None, ca.Function | None]:
        """What acts by control, subsystems and other forces; a sample of control; settled states.

        None where there is nothing of the kind.
        """
        layout, m = self.layout, self.mechanism
        beside = layout.subsystems
        if not (layout.law or beside.size or others or self.setup.actuation):
            return None, None, None
        if self.efforts is not None:
            others = [*others, EffortLimits()]
        plant = Plant(replace(self.setup, forces=tuple(others)), names_only(m))
        t, q, v, s = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv), SX.sym("s", beside.size)
        inputs = plant.inputs()
        acting = plant.acting(t, q, v, s, inputs)
        given = [t, q, v, s, *inputs.values()]
        names = ["t", "q", "v", "s", *(identifier(name) for name in inputs)]
        drives = acting.powers if acting.powers.numel() else ca.dot(acting.tau, v)
        lost = (
            -ca.dot(push, v)
            for force, push in zip(plant.setup.forces, acting.forces, strict=True)
            if force.acts
        )
        met = [ca.dot(acting.met, v)] if self.setup.surroundings else []
        powers = ca.vertcat(drives, *lost, *met)
        outputs = [acting.tau, acting.own, acting.rate, acting.command, powers]
        function = ca.Function("acting", given, [ca.densify(x) for x in outputs], names, [])
        if not beside.size:
            return function, None, None
        begun = ca.densify(plant.sampled(t, q, v, s, inputs))
        sampled = ca.Function("sampled", given, [begun], names, ["s_begun"])
        settled = ca.Function("settled", [s], [ca.densify(beside.settled(s))])
        return function, sampled, settled

    def _stored(self) -> ca.Function | None:
        """What forces hold at positions, and its rate; None where none ever holds any."""
        if not self.storing:
            return None
        m = self.mechanism
        q, dq, model = SX.sym("q", m.nq), SX.sym("dq", m.nq), names_only(m)
        held = ca.vertcat(*(force.stored_energy(model, q, {}) for _, force in self.storing))
        if held.is_zero():  # stops of a machine without limits
            return None
        parts = [ca.densify(held), ca.densify(ca.jtimes(held, q, dq))]
        return ca.Function("stored", [q, dq], parts)

    def stored_energies(self, q: Array, v: Array) -> Array:
        """Kinetic energy, in gravity and in springs [J] of states (samples, n): (samples, 3)."""
        end = self.totals(len(q), {"q": q, "v": v}, [np.zeros((1, 6)), None]).ends[1]
        assert end is not None
        springs = self.springs_hold.energy(q)
        if self.springs:
            springs = springs + self.springs(*self.moved(q, v)).energy
        return np.stack([end[:, 10], -end[:, 7:10] @ self.mechanism.gravity, springs], axis=1)

    def moved(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Poses (samples, 12·nodes) and velocities (samples, 6·nodes) of nodes at states."""
        results = self.motion(len(q), {"q": q, "v": v}, [BEGIN]).results
        return results["pose"], results["velocity"]

    def places(self, frames: Sequence[str]) -> Callable[[Array, Array], tuple[Array, Array, Array]]:
        """What says where frames are at states: rotations, origins and their velocities."""
        placed = [self.machine.place(frame) for frame in frames]
        nodes = np.array([node for node, _ in placed], np.intp)
        placements = np.array([placement for _, placement in placed]).reshape(-1, 12)

        def at(q: Array, v: Array) -> tuple[Array, Array, Array]:
            X, V = frame_motions(*self.moved(q, v), nodes, placements)
            return X[..., :3, :3], X[..., :3, 3], V[..., :3]

        return at


@final
class Workspace:
    """Arrays in which one run, or one batch of runs, is evaluated; for one thread.

    Attributes:
        a: Accelerations of the last evaluation, shape (samples, nv).
    """

    def __init__(self, field: TraversedField, samples: int, extra: Extra | None = None) -> None:
        """Make room.

        Args:
            field: What is compiled.
            samples: How many runs.
            extra: Rates of further quantities.
        """
        m, count = field.mechanism, len(field.bodies)
        self.field, self.samples, self.extra = field, samples, extra
        self.nq, self.nv, self.subsystem_size = m.nq, m.nv, field.layout.subsystems.size
        self.q, self.v = np.zeros((samples, m.nq)), np.zeros((samples, m.nv))
        self.tau, self.a = np.zeros((samples, m.nv)), np.zeros((samples, m.nv))
        self.constant: Array | None = None  # wrenches on nodes that stay over a step
        self.external = (
            np.zeros((samples, 6 * count))
            if field.fluids or field.springs or field.setup.wrenches
            else None
        )
        root = np.repeat(still_root(m), samples, axis=0)
        self.solve = field.machine.solver.bound(
            self.q, self.v, self.tau, root, self.external, self.a
        )
        self.dq = np.zeros((samples, m.nq))
        self.position_rate = field.positions.bound_rate(self.q, self.v, self.dq)
        # place among the lines, what computes it, and where that is written to
        self.joints_force: list[tuple[int, Callable[[], None], Array]] = []
        for line, forces in field.joint_forces:
            written = np.zeros((samples, m.nv))
            compute = forces.bound(self.q, self.v, written)
            if compute is not None:
                self.joints_force.append((line, compute, written))
        # powers of the lines of the energy balance [W]
        self.lines = np.zeros((samples, len(field.lines)))
        self.elastic = np.zeros((samples, m.nv))  # of springs in joints
        self.springs_force = field.joint_springs.bound(self.q, self.v, self.elastic)
        self.fluids: list[Callable[[], Array]] = []
        if self.external is not None:
            self.move = field.motion.bound(samples, {"q": self.q, "v": self.v}, [BEGIN])
            moved = self.move.swept.results
            self.fluids = [
                fluid.bound(moved["pose"], moved["velocity"], self.external)
                for fluid in field.fluids
            ]
        self.no_power = np.zeros(samples)
        self.dampers: Array | float = 0.0  # power that dampers between frames take
        self.inputs: Sequence[Array] = ()
        self.command = np.zeros((samples, m.nv))  # joint forces that come from outside
        functions = (field.acting, field.sampled, field.settled)
        self.acting, self.sampled, self.settled = (f and Interpreted(f) for f in functions)
        self.stored = field.stored and Interpreted(field.stored)

    def hold(self, inputs: Sequence[Array]) -> None:
        """What acts from outside until something else is held, in the order of the layout."""
        self.inputs = inputs
        field = self.field
        if self.acting is None:
            self.command[...] = inputs[0]
            if field.efforts is not None:
                np.clip(self.command, -field.efforts, field.efforts, out=self.command)
        start, count = int(field.layout.law is None), len(field.setup.wrenches)
        wrenches = [np.reshape(w, (-1, 6)) for w in inputs[start : start + count]]
        external = field.machine.external(wrenches)
        if external is not None:
            self.constant = external.reshape(len(external), -1)

    def begun(self, t: Any, y: Array) -> Array:
        """States as a step begins with them: sampled control has looked at the machine."""
        if not self.sampled:
            return y
        y = y.copy()
        part = self._subsystem_slice()
        y[:, part] = self.sampled(self.samples, t, *self._split(y), *self.inputs)[0]
        return y

    def ended(self, y: Array) -> Array:
        """States as a step leaves them: unit quaternions, settled subsystems."""
        self.field.positions.make_unit(y[:, : self.nq])
        if self.settled:
            part = self._subsystem_slice()
            y[:, part] = self.settled(self.samples, y[:, part])[0]
        return y

    def forces(self, t: Any, y: Array) -> tuple[Array, Array, Array | None, Array]:
        """What acts at states: joint forces of drives, power of all others, rates, commands.

        Leaves positions, velocities and all forces together where accelerations are solved from.
        """
        q, v = self.q, self.v
        q[...], v[...] = y[:, : self.nq], y[:, self.nq : self.nq + self.nv]
        rate, power, tau, own = None, self.no_power, self.command, None
        command = tau
        for _, compute, written in self.joints_force:
            compute()
            own = written if own is None else own + written
        if self.acting:
            s = y[:, self._subsystem_slice()]
            results = self.acting(self.samples, t, q, v, s, *self.inputs)
            tau, more, rate, command, powers = results
            self.lines[:, self.field.acting_lines] = powers
            own = more if own is None else own + more
        if own is None:
            self.tau[...] = tau
        else:
            np.add(tau, own, out=self.tau)
            power = _products(own, v)
        if self.springs_force:
            self.springs_force()
            self.tau += self.elastic
        if self.external is not None:
            self.external[...] = 0.0 if self.constant is None else self.constant
            if self.fluids or self.field.springs:
                self.move.run()
                self.dampers = self._tied(self.external)
                power = power - self.dampers
                for line, fluid in zip(self.field.fluid_lines, self.fluids, strict=True):
                    gained = fluid()
                    self.lines[:, line] = -gained
                    power = power + gained
        return tau, power, rate, command

    def line_powers(self, tau: Array) -> Array:
        """Powers of the lines of the energy balance [W] at the state of the last :meth:`forces`.

        After :meth:`rates` have the rates of positions.
        """
        field, lines, v = self.field, self.lines, self.v
        if not self.acting:
            lines[:, 0] = _products(tau, v)
        for line, _, written in self.joints_force:
            lines[:, line] = -_products(written, v)
        if field.springs and field.damper_line is not None:
            if not any(line == field.damper_line for line, *_ in self.joints_force):
                lines[:, field.damper_line] = 0.0
            lines[:, field.damper_line] += self.dampers
        if self.stored:
            _, rates = self.stored(self.samples, self.q, self.dq if self.position_rate else v)
            for (line, _), rate in zip(field.storing, rates.T, strict=True):
                lines[:, line] -= rate
        if self.constant is not None:
            if not (self.fluids or field.springs):
                self.move.run()
            moved = self.move.swept.results["velocity"]
            constant = np.broadcast_to(self.constant, moved.shape)
            lines[:, field.lines.index(WRENCHES)] = _products(constant, moved)
        return lines

    def _tied(self, external: Array) -> Array | float:
        """Add wrenches of springs between frames; gives the power that their dampers take out."""
        springs, moved = self.field.springs, self.move.swept.results
        if springs is None:
            return 0.0
        loads = springs(moved["pose"], moved["velocity"])
        external += loads.elastic.reshape(self.samples, -1)
        if not self.field.is_damped:
            return 0.0
        external += loads.damping.reshape(self.samples, -1)
        return loads.loss

    def rates(self, t: Any, y: Array) -> Array:
        """Time derivatives of states (samples, n)."""
        tau, power, rate, _ = self.forces(t, y)
        self.solve()
        nq, end = self.nq, self.nq + self.nv
        dy = np.empty_like(y)
        if self.position_rate:
            self.position_rate()
            dy[:, :nq] = self.dq
        else:
            dy[:, :nq] = self.v
        dy[:, nq:end] = self.a
        if rate is not None:
            dy[:, end : end + self.subsystem_size] = rate
        if self.extra:
            self.extra(self, tau, power, dy[:, end + self.subsystem_size :])
        return dy

    def _subsystem_slice(self) -> slice:
        return slice(self.nq + self.nv, self.nq + self.nv + self.subsystem_size)

    def _split(self, y: Array) -> tuple[Array, Array, Array]:
        return y[:, : self.nq], y[:, self.nq : self.nq + self.nv], y[:, self._subsystem_slice()]


def power_and_loss(work: Workspace, tau: Array, power: Array, out: Array) -> None:
    """Power of the drives, power that other forces take out, lines of the balance [W]."""
    out[:, 0] = _products(tau, work.v)
    np.negative(power, out=out[:, 1])
    out[:, 2:] = work.line_powers(tau)


def _products(a: Array, b: Array) -> Array:
    """Of each row with its like, shape (samples,)."""
    if len(a) == 1:
        return np.array([a[0] @ b[0]])
    total: Array = np.einsum("sj,sj->s", a, b)
    return total

"""Drive friction in runs, dependent on load: smooth, or with stiction.

Two choices: :class:`DriveFriction` is smooth through zero velocity and works with every integrator;
:class:`Stiction` lets a joint that its drive cannot move stand still exactly, with steps of one
length. Joint forces of a run (``tau``) are then those of the motors, referred to the joint's side
of the gear.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators import Drive, Smooth, joint_drives
from phalanx.actuators.drive import Drives, check_drives
from phalanx.actuators.forward import ITERATIONS, Balance
from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism
from phalanx.simulation.setup.forces.joint_forces import JointForce


@dataclass(frozen=True)
class LoadedFriction(JointForce):
    """Friction that depends on the loads, and so on the motor forces and the accelerations.

    Attributes:
        drives: Joint name to :class:`~phalanx.actuators.Drive`; None for dry friction from the
            joints' own ``friction``.
        iterations: Of the search for the acceleration; see :mod:`phalanx.actuators.forward`.
    """

    drives: Drives | None = None
    iterations: int = ITERATIONS

    def __post_init__(self) -> None:
        check_fields(self)
        if self.iterations < 1:
            raise InvalidInput(f"iterations={self.iterations}; expected at least 1.")

    def drives_of(self, mechanism: Mechanism) -> dict[str, Drive]:
        """The drives, each fitted to a joint.

        Raises:
            UnknownName: When a joint does not exist.
            InvalidInput: When a joint cannot have its drive.
        """
        own = joint_drives(mechanism, damping=False) if self.drives is None else self.drives
        return {name: drive for name, (_, drive) in check_drives(mechanism, own).items()}

    def balance(self, model: Model, q: SX, v: SX, wrenches: Mapping[str, SX]) -> Balance:
        """Motor forces and accelerations at a state."""
        return Balance.of(model, q, v, self.drives_of(model.mechanism), wrenches)

    @abstractmethod
    def directions(self, model: Model, q: SX, v: SX, tau: SX, wrenches: Mapping[str, SX]) -> SX:
        """Which way friction points in each joint, -1 to 1, shape (nv,)."""

    @abstractmethod
    def respond(
        self, model: Model, q: SX, v: SX, tau: SX, wrenches: Mapping[str, SX], direction: SX
    ) -> tuple[SX, SX]:
        """Accelerations under motor forces, and the joint forces of friction, shape (nv,) each."""

    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """Friction of a machine that coasts: its motors do nothing."""
        model, idle = model_of(mechanism), SX.zeros(mechanism.nv, 1)
        direction = self.directions(model, q, v, idle, {})
        return self.respond(model, q, v, idle, {}, direction)[1]


@final
@dataclass(frozen=True)
class DriveFriction(LoadedFriction):
    """Friction of drives, smooth through zero velocity: a joint at rest creeps under its load.

    Attributes:
        slip: Velocity at which 76 % of the full friction is reached [rad/s or m/s].
    """

    slip: float = 1e-2
    smooth: Smooth = field(init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "smooth", Smooth(self.slip))

    def directions(self, model: Model, q: SX, v: SX, tau: SX, wrenches: Mapping[str, SX]) -> SX:
        return self.smooth(v, tau)

    def respond(
        self, model: Model, q: SX, v: SX, tau: SX, wrenches: Mapping[str, SX], direction: SX
    ) -> tuple[SX, SX]:
        balance = self.balance(model, q, v, wrenches)
        a = balance.solve(tau, direction, SX.zeros(model.nv, 1), self.iterations)
        return a, balance.links_and_rotors(a) - tau


@final
@dataclass(frozen=True)
class Stiction(LoadedFriction):
    """Dry friction that holds: a joint whose drive cannot break away stays where it is, exactly.

    A joint with dry friction moves one way, the other, or is held. With ``up`` and ``down`` the
    motor forces that go with moving forth and back at the accelerations a, a joint at rest obeys

        a = max(0, a + (tau - up) / m) + min(0, a + (tau - down) / m)

    for any m > 0, here its inertia: it is held between them and follows its motor beyond. Joints
    that break away load, free and hold others, so all are settled together, by Newton's method on
    the pieces of this equation (principal pivoting).

    Steps of one length only; see :mod:`phalanx.simulation.run.stick_slip`.

    Reference:
        Júdice and Pires (1994), A block principal pivoting algorithm for large-scale strictly
        monotone linear complementarity problems.
    """

    def directions(self, model: Model, q: SX, v: SX, tau: SX, wrenches: Mapping[str, SX]) -> SX:
        """The way each joint moves or will; 0 for a joint that is held."""
        balance = self.balance(model, q, v, wrenches)
        dry = self.dry(model.mechanism)
        at_rest = ca.logic_and(v == 0, dry)
        slope = ca.jacobian(balance.links_and_rotors(a := SX.sym("a", model.nv)), a)

        def wanted(a: SX, now: SX) -> SX:
            up, down = (balance.motors(a, ca.if_else(at_rest, way, now)) for way in (1, -1))
            push = tau + ca.diag(slope) * a
            forth, back = ca.logic_and(at_rest, push > up), ca.logic_and(at_rest, push < down)
            new = ca.sign(v) + forth - back
            # from one way to the other a joint passes through being held
            return ca.if_else(new * now < 0, 0, new)

        # all joints at once until most are right, then one at a time, which leaves no circles
        a, towards, joints = SX.zeros(model.nv, 1), ca.sign(v), int(ca.sum1(dry))
        for turn in range(2 * joints + 2 if joints > 1 else joints):
            new = wanted(a, towards)
            towards = new if turn < joints + 2 else _first_change(towards, new)
            held = ca.logic_and(at_rest, towards == 0)
            a = balance.solve(tau, towards, held, 1, start=a)
        return towards

    def respond(
        self, model: Model, q: SX, v: SX, tau: SX, wrenches: Mapping[str, SX], direction: SX
    ) -> tuple[SX, SX]:
        balance = self.balance(model, q, v, wrenches)
        held = ca.logic_and(direction == 0, self.dry(model.mechanism))
        a = balance.solve(tau, direction, held, self.iterations)
        return a, balance.links_and_rotors(a) - tau

    def dry(self, mechanism: Mechanism) -> ca.DM:
        """1 for each freedom that dry friction can hold, 0 for others, shape (nv,)."""
        dry = ca.DM.zeros(mechanism.nv)
        for name, drive in self.drives_of(mechanism).items():
            dry[mechanism.v_slices[name].start] = drive.is_dry
        return dry


def _first_change(old: SX, new: SX) -> SX:
    """``old`` with the first entry that differs taken from ``new``."""
    result, unchanged = SX(old), SX(1)
    for k in range(old.numel()):
        result[k] = ca.if_else(unchanged, new[k], old[k])
        unchanged = ca.logic_and(unchanged, new[k] == old[k])
    return result

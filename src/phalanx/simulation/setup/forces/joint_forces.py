"""Joint forces: damping, dry friction, and the interface of all such forces.

A choice is a value: ``simulate(arm, ..., forces=(Damping(), Stops(stiffness=1e4)))``. Each is a
function of the state over symbols and becomes part of the compiled step. Its numbers have names
(``elbow.damping``, ``stops.stiffness``) and may differ between runs: parameters of a setup.

Stops and dry friction are stiff. Where their numbers are not given, they are fitted to the step and
to the effective inertia of each joint, so that they are stable at every step at which the machine
itself is. Methods that choose their own steps count with ``NOMINAL_STEP``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, final

import casadi as ca
import numpy as np
from casadi import DM, SX

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.equations.quantities.declared_forces import SLIP, smooth_friction
from phalanx.equations.quantities.joint_springs import spring_force
from phalanx.equations.quantities.springs import damper_forces, damping_forces
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Joint, Mechanism, Mimic, Motion
from phalanx.mechanism.pose import Array
from phalanx.simulation.setup.forces.effective_inertia import inertia_of_joints

NOMINAL_STEP = 1e-3
"""Step [s] to which forces are fitted where a method chooses its own steps."""
RUBBING = 0.5
"""Slope of fitted dry friction at rest over inertia, times the step; methods bear 2."""

OfJoints = Mapping[str, tuple[float, ...]]
"""Joint name to the numbers of its freedoms."""


class JointForce(ABC):
    """A force of the joints on themselves."""

    def fitted(self, mechanism: Mechanism, step: float) -> JointForce:
        """The same with all its numbers, for steps of a length [s]."""
        return self

    def limited(self, mechanism: Mechanism, tau: SX) -> SX:
        """What it leaves of the joint forces that drives are asked for, shape (nv,)."""
        return tau

    @abstractmethod
    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """Joint forces [N or N·m] at a state, shape (nv,)."""

    def on(self, model: Model, q: SX, v: SX) -> SX:
        """The same, of a machine whose numbers may be symbols."""
        return self.force(model.mechanism, q, v)

    # whether it makes a force at all, which the energy balance has a line for; a limit does not
    acts: ClassVar[bool] = True
    # whether it has a :meth:`stored_energy`; what it takes beyond that is lost
    stores_energy: ClassVar[bool] = False

    def stored_energy(self, model: Model, q: SX, symbols: Mapping[str, SX]) -> SX:
        """Energy [J] that it holds and gives back; none by default."""
        return SX(0)

    def parameters(self, mechanism: Mechanism) -> dict[str, Array]:
        """Its numbers that may be per-run parameters, by name."""
        return {}

    def on_with_symbols(self, model: Model, q: SX, v: SX, symbols: Mapping[str, SX]) -> SX:
        """What :meth:`on` gives, with symbols for some of :meth:`parameters`."""
        return self.on(model, q, v)


class ForceOfEach(JointForce):
    """A force of every joint by itself: its own numbers, position and velocity make it.

    So joints that move alike can be taken as a batch, however many there are.

    Attributes:
        of_joints: The number of a joint that it takes and that may be a per-run parameter.
        of_all: The same of its own numbers, which hold for all joints.
    """

    of_joints: ClassVar[str] = ""
    of_all: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def numbers(self, joint: Joint) -> Array:
        """What is known of a joint, as many numbers for all joints that move alike."""

    @abstractmethod
    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        """Force of a joint, shape (nv,).

        Args:
            motion: How it moves.
            numbers: What :meth:`numbers` gives, or symbols for it.
            x: Its position, shape (nq,).
            u: Its velocity, shape (nv,).
            own: Symbols for some of its own numbers.
        """

    @final
    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """Forces of all joints; a mimic's act on its leader."""
        return self._sum(mechanism, q, v, {})

    @final
    def parameters(self, mechanism: Mechanism) -> dict[str, Array]:
        """Of each joint, ``elbow.damping``; its own after its name, ``stops.damping``."""
        joints = [joint for joint in mechanism.joints if self.of_joints and joint.motion.nv]
        values = {
            f"{joint.name}.{self.of_joints}": np.asarray(getattr(joint, self.of_joints))
            for joint in joints
        }
        own = {number: self.own_number(number) for number in self.of_all}
        return values | {
            self._name(number): np.array([value])
            for number, value in own.items()
            if value is not None
        }

    def own_number(self, number: str) -> float | None:
        """One of ``of_all`` unless it is a per-run parameter; None where each joint has its own."""
        value: float | None = getattr(self, number)
        return value

    @property
    def fitted_names(self) -> tuple[str, ...]:
        """Names of its own numbers that each joint has for itself."""
        return tuple(self._name(k) for k in self.of_all if self.own_number(k) is None)

    def numbers_with(self, joint: Joint, value: SX) -> SX:
        """Return :meth:`numbers` where ``of_joints`` of a joint is a per-run parameter."""
        return value

    def on_with_symbols(self, model: Model, q: SX, v: SX, symbols: Mapping[str, SX]) -> SX:
        return self._sum(model.mechanism, q, v, symbols)

    def _name(self, number: str) -> str:
        return f"{type(self).__name__.lower()}.{number}"

    def _sum(self, mechanism: Mechanism, q: SX, v: SX, symbols: Mapping[str, SX]) -> SX:
        fitted = self.fitted(mechanism, NOMINAL_STEP)
        if isinstance(fitted, ForceOfEach) and fitted is not self:
            return fitted._sum(mechanism, q, v, symbols)
        total = SX.zeros(mechanism.nv, 1)
        own = {k: symbols[self._name(k)] for k in self.of_all if self._name(k) in symbols}
        for joint in mechanism.joints:
            if not joint.motion.nv:
                continue
            follows = joint.mimic or Mimic(joint.name)
            where = mechanism.v_slices[follows.leader]
            x = follows.multiplier * q[mechanism.q_slices[follows.leader]] + follows.offset
            u = follows.multiplier * v[where]
            value = symbols.get(f"{joint.name}.{self.of_joints}")
            numbers = (
                SX(DM(self.numbers(joint))) if value is None else self.numbers_with(joint, value)
            )
            total[where] += follows.multiplier * self.law(joint.motion, numbers, x, u, **own)
        return total


@final
@dataclass(frozen=True)
class Damping(ForceOfEach):
    """Viscous friction from the joints' own ``damping``, -d v, and dampers between frames."""

    of_joints: ClassVar[str] = "damping"

    def on(self, model: Model, q: SX, v: SX) -> SX:
        return damping_forces(model, q, v)

    def on_with_symbols(self, model: Model, q: SX, v: SX, symbols: Mapping[str, SX]) -> SX:
        return self._sum(model.mechanism, q, v, symbols) + damper_forces(model, q, v)

    def numbers(self, joint: Joint) -> Array:
        """Its damping."""
        return np.asarray(joint.damping)

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        return -numbers * u


@final
@dataclass(frozen=True)
class JointSprings(ForceOfEach):
    """Springs in joints, from their own ``stiffness`` and ``rest``; runs have them always."""

    def numbers(self, joint: Joint) -> Array:
        """Its stiffness, then its position of rest."""
        return np.concatenate([np.asarray(joint.stiffness), joint.rest_position])

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        return spring_force(motion, numbers[: motion.nv], numbers[motion.nv :], x)


@final
@dataclass(frozen=True)
class Friction(ForceOfEach):
    """Dry friction from the joints' own ``friction``, smooth through rest: -F tanh(v/slip).

    Forth (v > 0) it has the magnitude of ``friction``, back that of ``backward_friction`` where
    they differ. It always acts against the velocity. It has derivatives everywhere, and lets a
    joint creep under its load; :class:`Stiction` holds it, and has none.

    Attributes:
        slip: Velocity at which 76 % of the full force is reached [rad/s or m/s]. Where it is not
            given, each joint has its own: 0.01, or as much as steps of length h need,
            2 F h over the joint's effective inertia.
        eased: Joint name to the slip velocity over F that it needs; filled in by :meth:`fitted`.
    """

    of_joints: ClassVar[str] = "friction"
    of_all: ClassVar[tuple[str, ...]] = ("slip",)
    slip: float | None = None
    eased: OfJoints | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.slip is not None and not 0 < self.slip < np.inf:
            raise InvalidInput(f"the slip velocity of friction must be positive, got {self.slip}.")

    def fitted(self, mechanism: Mechanism, step: float) -> Friction:
        """With a slip velocity for every joint."""
        if self.slip is not None or self.eased is not None:
            return self
        rubbed = any(np.any(joint.dry_friction) for joint in mechanism.joints)
        eased = {
            name: tuple((step / (RUBBING * np.where(inertia > 0, inertia, np.inf))).tolist())
            for name, inertia in (inertia_of_joints(mechanism).items() if rubbed else ())
        }
        return replace(self, eased=eased)

    def numbers(self, joint: Joint) -> Array:
        """Its dry friction, forth and back, and the slip velocity over it that it needs."""
        return np.concatenate([*joint.dry_friction, self._eased(joint)])

    def numbers_with(self, joint: Joint, value: SX) -> SX:
        """The same both ways, unless the joint has another number for the way back."""
        forth, back = joint.dry_friction
        same = np.array_equal(forth, back)
        return ca.vertcat(value, value if same else DM(back), DM(self._eased(joint)))

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        nv = motion.nv
        forth, back, eased = numbers[:nv], numbers[nv : 2 * nv], numbers[2 * nv :]
        slip = own.get("slip", self.slip)
        if slip is None:
            slip = ca.fmax(SLIP, eased * ca.fmax(forth, back))
        return smooth_friction(forth, back, u, slip)

    def own_number(self, number: str) -> float:
        """The slip velocity that light joints may exceed."""
        return SLIP if self.slip is None else self.slip

    def _eased(self, joint: Joint) -> Array:
        return np.array((self.eased or {}).get(joint.name, (0.0,) * joint.motion.nv))

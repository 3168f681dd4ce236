"""Forces that joints make by themselves: damping, stops at limits, dry friction.

A choice is a value: ``simulate(arm, ..., forces=(Damping(), Stops(stiffness=1e4)))``. Each is a
function of the state over symbols and becomes part of the compiled step. Its numbers have names
(``elbow.damping``, ``stops.stiffness``) and may be told to each run: parameters of a setup.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, final

import casadi as ca
import numpy as np
from casadi import DM, SX

from phalanx.arguments import check_fields
from phalanx.equations.quantities.declared_forces import smooth_friction
from phalanx.equations.quantities.joint_springs import plane_axes, spring_force
from phalanx.equations.quantities.springs import damper_forces, damping_forces
from phalanx.equations.tree.model import Model
from phalanx.errors import InvalidInput
from phalanx.mechanism import Joint, Mechanism, Mimic, Motion, Planar
from phalanx.mechanism.pose import Array


class JointForce(ABC):
    """A force of the joints on themselves."""

    @abstractmethod
    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """Joint forces [N or N·m] at a state, shape (nv,)."""

    def on(self, model: Model, q: SX, v: SX) -> SX:
        """The same, of a machine whose numbers may be symbols."""
        return self.force(model.mechanism, q, v)

    # whether it has a :meth:`stored_energy`; what it takes beyond that is lost
    stores_energy: ClassVar[bool] = False

    def stored_energy(self, model: Model, q: SX, opened: Mapping[str, SX]) -> SX:
        """Energy [J] that it holds and gives back; none by default."""
        return SX(0)

    def open_numbers(self, mechanism: Mechanism) -> dict[str, Array]:
        """Its numbers that may be told to each run, by name."""
        return {}

    def on_opened(self, model: Model, q: SX, v: SX, opened: Mapping[str, SX]) -> SX:
        """What :meth:`on` gives, with symbols for some of :meth:`open_numbers`."""
        return self.on(model, q, v)


class ForceOfEach(JointForce):
    """A force of every joint by itself: its own numbers, position and velocity make it.

    So joints that move alike can be taken as a batch, however many there are.

    Attributes:
        of_joints: The number of a joint that it takes and that may be told to each run.
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
    def open_numbers(self, mechanism: Mechanism) -> dict[str, Array]:
        """Of each joint, ``elbow.damping``; its own after its name, ``stops.damping``."""
        joints = [joint for joint in mechanism.joints if self.of_joints and joint.motion.nv]
        values = {
            f"{joint.name}.{self.of_joints}": np.asarray(getattr(joint, self.of_joints))
            for joint in joints
        }
        return values | {
            self._name(number): np.array([getattr(self, number)]) for number in self.of_all
        }

    def told(self, joint: Joint, value: SX) -> SX:
        """What :meth:`numbers` is where ``of_joints`` of a joint is told to the run."""
        return value

    def on_opened(self, model: Model, q: SX, v: SX, opened: Mapping[str, SX]) -> SX:
        """See :class:`JointForce`."""
        return self._sum(model.mechanism, q, v, opened)

    def _name(self, number: str) -> str:
        return f"{type(self).__name__.lower()}.{number}"

    def _sum(self, mechanism: Mechanism, q: SX, v: SX, opened: Mapping[str, SX]) -> SX:
        total = SX.zeros(mechanism.nv, 1)
        own = {k: opened[self._name(k)] for k in self.of_all if self._name(k) in opened}
        for joint in mechanism.joints:
            if not joint.motion.nv:
                continue
            follows = joint.mimic or Mimic(joint.name)
            where = mechanism.v_slices[follows.leader]
            x = follows.multiplier * q[mechanism.q_slices[follows.leader]] + follows.offset
            u = follows.multiplier * v[where]
            told = opened.get(f"{joint.name}.{self.of_joints}")
            numbers = SX(DM(self.numbers(joint))) if told is None else self.told(joint, told)
            total[where] += follows.multiplier * self.law(joint.motion, numbers, x, u, **own)
        return total


@final
@dataclass(frozen=True)
class Damping(ForceOfEach):
    """Viscous friction from the joints' own ``damping``, -d v, and dampers between frames."""

    of_joints: ClassVar[str] = "damping"

    def on(self, model: Model, q: SX, v: SX) -> SX:
        """See :class:`JointForce`."""
        return damping_forces(model, q, v)

    def on_opened(self, model: Model, q: SX, v: SX, opened: Mapping[str, SX]) -> SX:
        """See :class:`JointForce`."""
        return self._sum(model.mechanism, q, v, opened) + damper_forces(model, q, v)

    def numbers(self, joint: Joint) -> Array:
        """Its damping."""
        return np.asarray(joint.damping)

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        """See :class:`ForceOfEach`."""
        return -numbers * u


@final
@dataclass(frozen=True)
class JointSprings(ForceOfEach):
    """Springs in joints, from their own ``stiffness`` and ``rest``; runs have them always."""

    def numbers(self, joint: Joint) -> Array:
        """Its stiffness, then its position of rest."""
        return np.concatenate([np.asarray(joint.stiffness), joint.rest_position])

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        """See :class:`ForceOfEach`."""
        return spring_force(motion, numbers[: motion.nv], numbers[motion.nv :], x)


@final
@dataclass(frozen=True)
class Friction(ForceOfEach):
    """Dry friction from the joints' own ``friction``, smooth through zero velocity.

    Forth (v > 0) it has the magnitude of ``friction``, back that of ``backward_friction`` where
    they differ. It always acts against the velocity.

    Attributes:
        slip: Velocity at which 76 % of the full force is reached [rad/s or m/s].
    """

    of_joints: ClassVar[str] = "friction"
    of_all: ClassVar[tuple[str, ...]] = ("slip",)
    slip: float = 1e-2

    def __post_init__(self) -> None:
        """Check the slip velocity."""
        check_fields(self)
        if not 0 < self.slip < np.inf:
            raise InvalidInput(f"the slip velocity of friction must be positive, got {self.slip}.")

    def numbers(self, joint: Joint) -> Array:
        """Its dry friction, forth and back."""
        return np.concatenate(joint.dry_friction)

    def told(self, joint: Joint, value: SX) -> SX:
        """The same both ways, unless the joint has another number for the way back."""
        forth, back = joint.dry_friction
        return ca.vertcat(value, value if np.array_equal(forth, back) else DM(back))

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        """See :class:`ForceOfEach`."""
        forth, back = numbers[: motion.nv], numbers[motion.nv :]
        return smooth_friction(forth, back, u, own.get("slip", self.slip))


@final
@dataclass(frozen=True)
class Stops(ForceOfEach):
    """Compliant stops at the position limits: a spring and a damper that only push back.

    Attributes:
        stiffness: [N·m/rad or N/m] beyond a limit.
        damping: [N·m·s/rad or N·s/m] while moving further in; it never pulls.
    """

    of_all: ClassVar[tuple[str, ...]] = ("stiffness", "damping")
    stores_energy: ClassVar[bool] = True
    stiffness: float = 1e4
    damping: float = 1e2

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_fields(self)
        if not (0 < self.stiffness < np.inf and 0 <= self.damping < np.inf):
            raise InvalidInput(
                "stops need a positive stiffness and no negative damping, got "
                f"{self.stiffness} and {self.damping}."
            )

    def numbers(self, joint: Joint) -> Array:
        """Its limits, the lower ones first."""
        return np.concatenate([np.asarray(joint.lower), np.asarray(joint.upper)])

    def law(self, motion: Motion, numbers: SX, x: SX, u: SX, **own: SX) -> SX:
        """See :class:`ForceOfEach`."""
        nv = motion.nv
        if motion.nq != nv:
            return SX(nv, 1)  # limits of quaternions mean nothing
        R = plane_axes(x[2]) if isinstance(motion, Planar) else SX.eye(nv)
        rate, rows = R @ u, []
        for k in range(nv):
            lower, upper, push = numbers[k], numbers[nv + k], SX(0)
            if not _is_endless(upper):
                push -= self._push(x[k] - upper, rate[k], own)
            if not _is_endless(lower):
                push += self._push(lower - x[k], -rate[k], own)
            rows.append(push)
        return R.T @ ca.vertcat(*rows)

    def stored_energy(self, model: Model, q: SX, opened: Mapping[str, SX]) -> SX:
        """Energy of the springs beyond the limits; see :class:`JointForce`."""
        mechanism, squares = model.mechanism, SX(0)
        for joint in mechanism.joints:
            if not joint.motion.nv or joint.motion.nq != joint.motion.nv:
                continue
            follows = joint.mimic or Mimic(joint.name)
            x = follows.multiplier * q[mechanism.q_slices[follows.leader]] + follows.offset
            lower, upper = self.numbers(joint).reshape(2, -1)
            for k in range(joint.motion.nv):
                if np.isfinite(upper[k]):
                    squares += ca.fmax(x[k] - upper[k], 0) ** 2
                if np.isfinite(lower[k]):
                    squares += ca.fmax(lower[k] - x[k], 0) ** 2
        return opened.get(self._name("stiffness"), self.stiffness) * squares / 2

    def _push(self, depth: SX, speed: SX, own: Mapping[str, SX]) -> SX:
        """Force of a stop that is pressed in by ``depth``, growing at ``speed``."""
        stiffness, damping = (own.get(k, getattr(self, k)) for k in self.of_all)
        pressed = stiffness * depth + damping * speed
        return ca.if_else(depth > 0, ca.fmax(pressed, 0), 0)


def _is_endless(limit: SX) -> bool:
    """Whether a limit is known to be none."""
    return bool(limit.is_constant()) and bool(np.isinf(float(limit)))

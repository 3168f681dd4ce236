"""Fluid forces on a machine: interface, and the fluid that a model declares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from casadi import SX

from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.fluid import ImmersedPart, box_drag, drag_forces, fluid_boxes
from phalanx.equations.spatial import Twist, Wrench
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.simulation.setup.forces.joint_forces import JointForce


class FluidForce(JointForce):
    """A fluid that acts on each part of a machine separately.

    So parts can be taken as a batch, however many there are.
    """

    @abstractmethod
    def parts(self, mechanism: Mechanism) -> Sequence[ImmersedPart]:
        """The parts in the fluid, with as many directions and numbers each."""

    @abstractmethod
    def stream(self, mechanism: Mechanism) -> Array:
        """Velocity of the fluid in the root frame [m/s], shape (3,)."""

    @abstractmethod
    def drag(self, V: Twist, stream: SX, part: SX) -> Wrench:
        """What the fluid does to a part: a wrench about a frame's origin and in its axes.

        Args:
            V: Velocity of the frame, in its axes.
            stream: Velocity of the fluid in these axes, shape (3,).
            part: Centre, directions and numbers of the part, in these axes.
        """

    @final
    def on(self, model: Model, q: SX, v: SX) -> SX:
        """Joint forces of the fluid, shape (nv,): Jᵀ times the wrenches on all parts."""
        parts = self.parts(model.mechanism)
        if not parts:
            return SX.zeros(model.nv, 1)
        return drag_forces(model, q, v, parts, self.stream(model.mechanism), self.drag)

    @final
    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        return self.on(model_of(mechanism), q, v)


@final
@dataclass(frozen=True)
class ModelFluid(FluidForce):
    """Drag of the machine's own ``fluid`` on the box of every body; nothing where it has none.

    It acts by default, as a model file says that it should. See :class:`~phalanx.mechanism.Fluid`
    for the data and :func:`phalanx.equations.fluid_forces` for the equations.
    """

    def parts(self, mechanism: Mechanism) -> Sequence[ImmersedPart]:
        return fluid_boxes(mechanism)

    def stream(self, mechanism: Mechanism) -> Array:
        return np.zeros(3) if mechanism.fluid is None else mechanism.fluid.wind

    def drag(self, V: Twist, stream: SX, part: SX) -> Wrench:
        return box_drag(V, stream, part)

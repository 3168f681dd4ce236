"""True model for control laws: the plant instead of the nominal model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final, overload

from casadi import SX
from numpy.typing import ArrayLike

from phalanx.actuators.subsystem import Array, Quantity, SampledControl
from phalanx.base.arguments import checked
from phalanx.base.pickling import remembered
from phalanx.base.short_repr import short_repr
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism
from phalanx.simulation.setup.laws import Law


@overload
def with_true_model(law: Law) -> Law: ...
@overload
def with_true_model(law: SampledControl) -> SampledControl: ...
@checked
def with_true_model(law: Law | SampledControl) -> Law | SampledControl:
    """The same law, built on the true model: the plant as it is in each run and after each event.

    A law is built on the nominal model otherwise: the mechanism as the setup has it, whatever
    ``parameters``, ``events`` and surroundings make of the plant. Python functions, profiles and
    ``casadi.Function`` are given no model, and have nothing to choose.

    >>> law = px.with_true_model(px.computed_torque(goal, stiffness=100.0, damping=20.0))
    """
    return _informed(law) if isinstance(law, Law) else _Informed(law)


@remembered
def _informed(law: Law) -> Law:
    return replace(law, true_model=True)


@short_repr
@final
@dataclass(frozen=True)
class _Informed(SampledControl):
    """A sampled control that gets the true model."""

    control: SampledControl

    @property
    def true_model(self) -> bool:
        return True

    @property
    def inputs(self) -> Mapping[str, int]:
        return self.control.inputs

    @property
    def defaults(self) -> Mapping[str, ArrayLike]:
        return self.control.defaults

    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        return self.control.quantities(mechanism)

    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        return self.control.initial(mechanism, q)

    def settled(self, s: SX) -> SX:
        return self.control.settled(s)

    def sampled(self, model: Model, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> SX:
        return self.control.sampled(model, t, q, v, s, inputs)

    def command(self, s: SX) -> SX:
        return self.control.command(s)

"""Scripted operators: commands from a table, looked up in compiled code.

A batch in which every run has its own operator would need commands of every run and step. A table
of a few rows, each held for a while, is all the input of a run here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike

from phalanx.actuators.hydraulics.checked import check_positive
from phalanx.actuators.subsystem import Array, Quantity, SampledControl
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

OPERATOR = "operator"


@final
@dataclass(frozen=True)
class ScriptedOperator(SampledControl):
    """A control whose operator reads from a table.

    Its input ``script`` takes the place of ``operator``: all rows of the table, one after the
    other. Row k holds from k · hold on, the last one for good.

    Attributes:
        control: What the operator commands; it has an input ``operator``.
        rows: Of the table.
        hold: Time that a row lasts [s].
    """

    control: SampledControl
    rows: int
    hold: float

    def __post_init__(self) -> None:
        check_positive(self, "hold")
        if int(self.rows) != self.rows or self.rows < 1:
            raise InvalidInput(f"rows={self.rows}; expected a whole number of at least 1.")
        if OPERATOR not in self.control.inputs:
            raise UnknownName(
                type(self.control).__name__, "input", OPERATOR, list(self.control.inputs)
            )

    @property
    def width(self) -> int:
        """How many commands a row has."""
        return self.control.inputs[OPERATOR]

    @property
    def inputs(self) -> Mapping[str, int]:
        others = {name: n for name, n in self.control.inputs.items() if name != OPERATOR}
        return {"script": self.rows * self.width, **others}

    @property
    def defaults(self) -> Mapping[str, ArrayLike]:
        """Those of the control; a script must be given."""
        return {name: x for name, x in self.control.defaults.items() if name != OPERATOR}

    @property
    def true_model(self) -> bool:
        return self.control.true_model

    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        return self.control.quantities(mechanism)

    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        return self.control.initial(mechanism, q)

    def settled(self, s: SX) -> SX:
        return self.control.settled(s)

    def sampled(self, model: Model, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> SX:
        others = {name: value for name, value in inputs.items() if name != "script"}
        others[OPERATOR] = self.row_at(t, inputs["script"])
        return self.control.sampled(model, t, q, v, s, others)

    def command(self, s: SX) -> SX:
        return self.control.command(s)

    def row_at(self, t: SX, script: SX) -> SX:
        """The row that holds at a time, shape (width,)."""
        row = script[: self.width]
        for k in range(1, self.rows):
            # time is a sum of steps: a row does not come a step late for a rounding error
            begun = t >= (k - 1e-6) * self.hold
            row = ca.if_else(begun, script[self.width * k : self.width * (k + 1)], row)
        return row

    def script(self, table: ArrayLike) -> Array:
        """A table of commands (..., rows, width) as the input takes it.

        Raises:
            InvalidInput: When it has another shape, or is not finite.
        """
        commands = np.asarray(table, dtype=np.float64)
        if commands.shape[-2:] != (self.rows, self.width) or not np.isfinite(commands).all():
            raise InvalidInput(
                f"a script has shape {commands.shape}; expected (..., {self.rows}, {self.width}) "
                "finite numbers."
            )
        return commands.reshape(*commands.shape[:-2], -1)

"""Openings of loops, with slack for equations that are redundant but for rounding."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.equations.loops.closure.equations import closure, lengths_in_rows, rows_of_loops
from phalanx.equations.loops.closure.mismatch import mismatch, owners_of_mismatch
from phalanx.equations.tree.model import Model


@dataclass(frozen=True)
class Slack:
    """Equations that a search ignores: redundant ones, but for rounding.

    Attributes:
        rows: The equations that are closed to the last digit.
        allowed: How far each number of the mismatch may be off while they are [m or rad]; as far as
            it likes when not given.
    """

    rows: tuple[int, ...]
    allowed: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Opening:
    """Openings of the loops of a model [m or rad]; zero where they are closed.

    Attributes:
        model: A machine with loops.
        slack: What need not be closed to the last digit; nothing when not given.
    """

    model: Model
    slack: Slack | None = None

    def __call__(self, q: SX) -> SX:
        """All numbers of it at positions ``q``."""
        if self.slack is None:
            return mismatch(self.model, q)
        exact = closure(self.model, q)[list(self.slack.rows)]
        if self.slack.allowed is None:
            return exact
        off = mismatch(self.model, q)
        beyond = ca.sign(off) * ca.fmax(ca.fabs(off) - self.slack.allowed, 0)
        return ca.vertcat(exact, beyond)

    @cached_property
    def owners(self) -> list[tuple[str, bool]]:
        """For each of its numbers the name of the loop, and whether it is a length."""
        owners = owners_of_mismatch(self.model)
        if self.slack is None:
            return owners
        rows = list(zip(rows_of_loops(self.model), lengths_in_rows(self.model), strict=True))
        exact = [(rows[row][0], bool(rows[row][1])) for row in self.slack.rows]
        return exact if self.slack.allowed is None else exact + owners

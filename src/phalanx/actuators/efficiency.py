"""Transmission efficiency as a curve over the load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.arguments import check_fields
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr

Array = NDArray[np.float64]

CLOSEST = 1e-9  # of two shares; the slope between nearer ones is no number to compute with
SAMPLES = 200  # of each piece, to see whether more output needs more input


@short_repr
@final
@dataclass(frozen=True)
class EfficiencyCurve:
    """Efficiency η over the load as a share of the rated load, through given points.

    Before the first point and beyond the last the curve keeps their efficiencies; a load above
    the rated one counts as the rated one.

    Attributes:
        shares: |output| / rated of each point, increasing within [0, 1] by 1e-9 or more.
        efficiencies: Within (0, 1], none below the one before.
        between: "monotone" for the cubic that does not overshoot (PCHIP), "spline" for the natural
            cubic spline, which is smoother and may overshoot, "linear" for lines.

    Reference:
        Dhanaraj (1990), §3.4; Fritsch and Carlson (1980), Monotone piecewise cubic interpolation.
    """

    shares: Sequence[float]
    efficiencies: Sequence[float]
    between: Literal["monotone", "spline", "linear"] = "monotone"

    def __post_init__(self) -> None:
        check_fields(self)
        x, y = np.asarray(self.shares, float), np.asarray(self.efficiencies, float)
        shown = list(zip(x.ravel().tolist(), y.ravel().tolist(), strict=False))
        if x.ndim != 1 or x.shape != y.shape or not x.size:
            raise InvalidInput(
                f"an efficiency curve has as many shares as efficiencies, got shapes {x.shape} and "
                f"{y.shape}."
            )
        if self.between not in ("monotone", "spline", "linear"):
            raise InvalidInput(
                f"between={self.between!r}; expected 'monotone', 'spline' or 'linear'."
            )
        for k, (share, efficiency) in enumerate(shown):
            if not 0 <= share <= 1:
                raise InvalidInput(
                    f"point {k} of the efficiency curve is at {share} of the load; "
                    "expected a share from 0 to 1."
                )
            if not 0 < efficiency <= 1:
                raise InvalidInput(
                    f"point {k} of the efficiency curve has {efficiency}; expected "
                    "an efficiency above 0 and at most 1."
                )
        for k in range(1, len(shown)):
            if x[k] - x[k - 1] < CLOSEST or y[k] < y[k - 1]:
                raise InvalidInput(
                    f"the efficiency curve must increase; points {k - 1} and {k} are "
                    f"{shown[k - 1]} and {shown[k]}."
                )
        object.__setattr__(self, "shares", tuple(x.tolist()))
        object.__setattr__(self, "efficiencies", tuple(y.tolist()))
        self._check_that_input_grows()

    @staticmethod
    def constant(efficiency: float) -> EfficiencyCurve:
        """The same efficiency under every load."""
        return EfficiencyCurve([1.0], [efficiency], "linear")

    def __call__(self, share: SX) -> SX:
        """Efficiency at a load [share of the rated load]."""
        piece = self.chosen([share >= start for start in self.pieces[1:, 0]])
        return self.on(piece, share)

    @cached_property
    def pieces(self) -> Array:
        """Start of each piece and its polynomial from there, highest power first; flat at ends."""
        x, y = np.array(self.shares), np.array(self.efficiencies)
        if len(x) == 1:
            return np.array([[0.0, y[0]]])
        if self.between == "linear":
            inner = np.column_stack([x[:-1], np.diff(y) / np.diff(x), y[:-1]])
        else:
            from scipy.interpolate import CubicSpline, PchipInterpolator

            spline = self.between == "spline"
            cubic = CubicSpline(x, y, bc_type="natural") if spline else PchipInterpolator(x, y)
            inner = np.column_stack([x[:-1], cubic.c.T])
        flat = np.zeros((2, inner.shape[1]))
        flat[:, 0], flat[:, -1] = (0.0, x[-1]), (y[0], y[-1])
        return np.vstack([flat[: int(x[0] > 0)], inner, flat[1:]])

    def chosen(self, begun: Sequence[SX]) -> list[SX]:
        """The numbers of a piece: the last of those after the first that is ``begun``."""
        numbers = [SX(number) for number in self.pieces[0]]
        for piece, here in zip(self.pieces[1:], begun, strict=True):
            numbers = [ca.if_else(here, new, old) for new, old in zip(piece, numbers, strict=True)]
        return numbers

    def on(self, piece: Sequence[SX], share: SX) -> SX:
        """Efficiency at a load that lies on a piece."""
        start, value, *numbers = piece
        for number in numbers:
            value = value * (share - start) + number
        return value

    def _check_that_input_grows(self) -> None:
        """Refuse a curve so steep that a larger output would need a smaller input."""
        x = np.unique(np.concatenate([np.linspace(a, b, SAMPLES) for a, b in self._spans()]))
        efficiency = ca.Function("efficiency", [share := SX.sym("share")], [self(share)])
        passed = np.array(efficiency(ca.DM(x)))[:, 0]
        outside = np.flatnonzero((passed <= 0) | (passed > 1))
        if outside.size:
            raise InvalidInput(
                f"the spline through the efficiencies is {passed[outside[0]]:.3g} at a share of "
                f"{x[outside[0]]:.3g}; take between='monotone', which does not overshoot."
            )
        needed = x / passed
        falls = np.flatnonzero(np.diff(needed) <= 0)
        if falls.size:
            raise InvalidInput(
                f"the efficiency curve rises so fast near a share of {x[falls[0]]:.3g} that more "
                "output would need less input; add points or lower the efficiencies beyond."
            )

    def _spans(self) -> list[tuple[float, float]]:
        ends = [0.0, *self.shares, 1.0]
        return [(a, b) for a, b in pairwise(ends) if b > a]

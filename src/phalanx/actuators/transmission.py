"""Friction in a transmission: an efficiency that depends on the load, and a break-away torque.

All torques are referred to the joint's side of the gear.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.efficiency import EfficiencyCurve
from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput

NEWTON_STEPS = 8  # from the nearest knots: each doubles the digits


@final
@dataclass(frozen=True)
class Transmission:
    """A gear between motor and joint.

    Attributes:
        efficiency: Over the load as a share of the rated load.
        rated: The rated output [N·m or N].
        break_away: What it takes to turn it without a load [N·m or N].

    Reference:
        Dhanaraj (1990), §3.4, equation 3.11 and table 3.2.
    """

    efficiency: EfficiencyCurve
    rated: float
    break_away: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 < self.rated < inf:
            raise InvalidInput(
                f"the rated output of a transmission is {self.rated}; expected a positive number."
            )
        if not 0 <= self.break_away < inf:
            raise InvalidInput(
                f"the break-away torque of a transmission is {self.break_away}; expected a number "
                "that is not negative."
            )

    def loss(self, output: SX, direction: SX) -> SX:
        """What is lost on the way to a given output: in - out for the ``in`` of :meth:`input`.

        Args:
            output: At the joint [N·m or N].
            direction: Sign of the velocity; between -1 and 1 the loss is scaled with its size.
        """
        efficiency = self.efficiency(ca.fabs(output) / self.rated)
        driving = output * direction > 0
        passed = ca.if_else(driving, output / efficiency, output * efficiency)
        return ca.fabs(direction) * (passed - output) + self.break_away * direction

    def input(self, output: SX, direction: SX) -> SX:
        """What goes in for a given output: out η^(-sgn(out · direction)) + break-away · direction.

        Driving divides by the efficiency, braking multiplies: four quadrants in one formula.
        """
        return output + self.loss(output, direction)

    def output(self, input: SX, direction: SX, share_kept: SX | float = 0.0) -> SX:
        """What comes out for a given input, the inverse of :meth:`input`.

        More generally the output for which ``share_kept * out + in(out)`` is the input; forward
        dynamics keeps a share for the rotor. The left side grows with the output: its piece of the
        curve is known from the values at the points, and the root on it is found by Newton's
        method from the line between its ends.

        Args:
            input: From the motor, referred to the joint's side [N·m or N].
            direction: Sign of the velocity, or a number between -1 and 1.
            share_kept: Not negative.
        """
        left = input - self.break_away * direction
        y = ca.fabs(left) / self.rated
        driving, size = left * direction > 0, ca.fabs(direction)

        def needs(x: SX | float, efficiency: SX | float) -> SX:
            """The share that must go in for the share x to come out."""
            passed = ca.if_else(driving, 1 / efficiency, efficiency)
            return x * (share_kept + 1 + size * (passed - 1))

        curve = self.efficiency
        starts = curve.pieces[:, 0]
        knots = [
            needs(start, level) for start, level in zip(starts, curve.pieces[:, -1], strict=True)
        ]
        begun = [y >= knot for knot in knots[1:]]
        piece = curve.chosen(begun)
        x = y / needs(1.0, curve.pieces[-1, -1])
        lower, upper = SX(starts[-1]), SX(inf)
        for k in reversed(range(len(begun))):
            on_line = (y - knots[k]) * (starts[k + 1] - starts[k]) / (knots[k + 1] - knots[k])
            x = ca.if_else(begun[k], x, starts[k] + on_line)
            lower = ca.if_else(begun[k], lower, starts[k])
            upper = ca.if_else(begun[k], upper, starts[k + 1])
        guess = SX.sym("guess")
        missing = needs(guess, curve.on(piece, guess)) - y
        better = guess - missing / ca.jacobian(missing, guess)
        for _ in range(NEWTON_STEPS):
            x = ca.fmin(ca.fmax(ca.substitute(better, guess, x), lower), upper)
        return ca.sign(left) * self.rated * x

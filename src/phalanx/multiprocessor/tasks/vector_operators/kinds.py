"""Kinds of vector operators and their cost.

Three components are worked out side by side, so a cross product takes one multiplication and one
addition, and a matrix times a vector one multiplication and two additions.

An operator that is not pipelined has a multiplier for each product, and adds with the same adders
level after level. A pipelined one has an adder for each sum too: then every multiplier and adder
works once for each operand, and the slowest of them decides how often the next operand enters.

Reference:
    Lathrop, MIT AI-TR-754 (1983), appendix A and table VII.1.
"""

from __future__ import annotations

from enum import StrEnum

from phalanx.kernel.graph.operations import Operations


class Kind(StrEnum):
    """Kinds of vector operators, by the source's abbreviation."""

    VA = "VA"  # vector sum
    SV = "SV"  # scalar times vector
    VC = "VC"  # cross product
    VD = "VD"  # dot product
    MV = "MV"  # matrix times vector
    MM = "MM"  # matrix times matrix
    SP = "SP"  # sine and cosine of an angle by polynomials; the source has them given
    SC = "SC"  # sine and cosine of an angle by CORDIC
    RC = "RC"  # reciprocal of a number; inverse dynamics has none

    @property
    def delay(self) -> Operations:
        """Multiplications and additions one after another; a shift takes no time in an operator."""
        return _DELAY[self]

    @property
    def work(self) -> Operations:
        """Multiplications and additions in all; shifts are none."""
        return _WORK[self]

    def units(self, *, pipelined: bool) -> Operations:
        """Scalar multipliers and adders of an operator, none of which waits for another's use."""
        if pipelined:
            return self.work
        # what follows one another is done by the same units
        add = -(-self.work.add // max(1, self.delay.add))
        multiply = -(-self.work.multiply // max(1, self.delay.multiply))
        return Operations(add=add, multiply=multiply)

    def time(self, multiply: float = 1.0, add: float = 1.0) -> float:
        """How long it takes where a multiplication and an addition take so long."""
        return self.delay.multiply * multiply + self.delay.add * add

    def interval(self, multiply: float = 1.0, add: float = 1.0) -> float:
        """Initiation interval of a pipelined operator, from those of its multipliers and adders."""
        return max(multiply if self.work.multiply else 0.0, add if self.work.add else 0.0)


TERMS = 8  # powers of the squared angle in a cosine
ITERATIONS = 54  # of CORDIC: as many bits

_DELAY = {
    Kind.VA: Operations(add=1),
    Kind.SV: Operations(multiply=1),
    Kind.VC: Operations(multiply=1, add=1),
    Kind.VD: Operations(multiply=1, add=2),
    Kind.MV: Operations(multiply=1, add=2),
    Kind.MM: Operations(multiply=1, add=2),
    # whole turns off; the square, its powers, two doublings; rounding to a whole is an addition
    Kind.SP: Operations(multiply=2 + 1 + TERMS + 2, add=4 + TERMS + 2),
    # whole turns off, a quarter turn, an addition for each further turn
    Kind.SC: Operations(multiply=2, add=4 + 1 + ITERATIONS),
    # three steps of Newton, x (2 - a x), from a table of 8 bits
    Kind.RC: Operations(multiply=6, add=3),
}
_WORK = {
    Kind.VA: Operations(add=3),
    Kind.SV: Operations(multiply=3),
    Kind.VC: Operations(multiply=6, add=3),
    Kind.VD: Operations(multiply=3, add=2),
    Kind.MV: Operations(multiply=9, add=6),
    Kind.MM: Operations(multiply=27, add=18),
    Kind.SP: Operations(multiply=4 + 2 * TERMS + 4, add=4 + (2 * TERMS - 1) + 4),
    Kind.SC: Operations(multiply=3, add=4 + 1 + 3 * ITERATIONS),
    Kind.RC: Operations(multiply=6, add=3),
}

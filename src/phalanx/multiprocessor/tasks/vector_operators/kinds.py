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

    @property
    def delay(self) -> Operations:
        """Multiplications and additions one after another."""
        return _DELAY[self]

    @property
    def work(self) -> Operations:
        """Multiplications and additions in all."""
        return _WORK[self]

    def units(self, *, pipelined: bool) -> Operations:
        """Scalar multipliers and adders of an operator, none of which waits for another's use."""
        if pipelined:
            return self.work
        levels = max(1, self.delay.add)
        return Operations(add=self.work.add // levels, multiply=self.work.multiply)

    def time(self, multiply: float = 1.0, add: float = 1.0) -> float:
        """How long it takes where a multiplication and an addition take so long."""
        return self.delay.multiply * multiply + self.delay.add * add

    def interval(self, multiply: float = 1.0, add: float = 1.0) -> float:
        """Initiation interval of a pipelined operator, from those of its multipliers and adders."""
        return max(multiply if self.work.multiply else 0.0, add if self.work.add else 0.0)


_DELAY = {
    Kind.VA: Operations(add=1),
    Kind.SV: Operations(multiply=1),
    Kind.VC: Operations(multiply=1, add=1),
    Kind.VD: Operations(multiply=1, add=2),
    Kind.MV: Operations(multiply=1, add=2),
    Kind.MM: Operations(multiply=1, add=2),
}
_WORK = {
    Kind.VA: Operations(add=3),
    Kind.SV: Operations(multiply=3),
    Kind.VC: Operations(multiply=6, add=3),
    Kind.VD: Operations(multiply=3, add=2),
    Kind.MV: Operations(multiply=9, add=6),
    Kind.MM: Operations(multiply=27, add=18),
}

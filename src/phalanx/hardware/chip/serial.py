"""Serial ports of a chip: shift registers, Flops for a vector, pins.

The registers of a module are shift registers: an operand comes in over a wire and a result goes out
over a wire, bit after bit. That saves pins and takes time. A vector of three words of b bits takes

    ceil(3 b / (wires · rate))

Flops, with ``rate`` bits a Flop on a wire. A matrix comes in over the same port, one vector after
the other. Registers cannot be shifted while they are computed with, so a chip needs a cycle of

    time of its operation + time of its longest operand (at least that of its result).

Reference:
    Lathrop (1983), sec. VII. The source leaves the length of words and the rate open.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.hardware.arrays.budgets import pins
from phalanx.hardware.chip.number_format import NumberFormat
from phalanx.hardware.chip.vamp import Vector

COMPONENTS = 3


@dataclass(frozen=True)
class SerialPorts:
    """Ports of a chip over which vectors are shifted.

    Attributes:
        bits: Of a word.
        rate: Bits that pass on a wire in a Flop.
        wires: Of each port. 1 is the source's; 3 is a wire for each component; 3 times the bits is
            a vector at once.
    """

    bits: int
    rate: int
    wires: int = 1

    def __post_init__(self) -> None:
        """Check that something passes."""
        check_fields(self)
        for what, value in (("bits", self.bits), ("rate", self.rate), ("wires", self.wires)):
            if value < 1:
                raise InvalidInput(f"serial ports with {what} {value}; expected 1 or more.")

    @property
    def pins(self) -> int:
        """Of a chip: its supply, two operands, a result."""
        return pins(self.wires)

    def ticks(self, vectors: int = 1) -> int:
        """Ticks of the shift clock for so many vectors, one after the other."""
        return -(-COMPONENTS * self.bits // self.wires) * vectors

    def flops(self, vectors: int = 1) -> int:
        """The same in Flops; each vector begins with a Flop."""
        return -(-self.ticks() // self.rate) * vectors

    def received(self, flops: int, vector: Vector, before: Vector, words: NumberFormat) -> Vector:
        """What a register holds some Flops after a vector began to come in.

        Args:
            flops: Since its first bit.
            vector: What comes in, the first bit of component 1 first.
            before: What the register held.
            words: How words are made of bits.
        """
        length = COMPONENTS * self.bits
        shifted = min(length, max(0, flops) * self.rate * self.wires)
        mask = (1 << length) - 1
        old, new = (self._pattern(v, words) for v in (before, vector))
        held = (old << shifted | new >> (length - shifted)) & mask
        one = (1 << self.bits) - 1
        x, y, z = (held >> self.bits * k & one for k in (2, 1, 0))
        return words.read(x), words.read(y), words.read(z)

    def _pattern(self, vector: Vector, words: NumberFormat) -> int:
        x, y, z = (words.pattern(word) for word in vector)
        return (x << self.bits | y) << self.bits | z

"""Number formats of chips: floating and fixed point, with rounding of sums and products.

A word is what a wire carries and a register holds. Double and single precision keep a Python float;
fixed point keeps a whole number that counts units of the last place, and computes in whole numbers
alone. Every operation rounds to a word again. A value that no word can hold is an error, never a
silent wrap: a torque that is wrong by a power of two is of no use.
"""

from __future__ import annotations

import math
import struct
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from phalanx.base.arguments import check_fields, checked
from phalanx.base.errors import InvalidInput, UnknownName, shown

Word = float  # an int in fixed point, which is a float to a type checker

NARROWEST = 16  # bits of a word that still carries a program (see vamp.ChipProgram)
WIDEST = 128
FLOATS = ("double", "single")


class TooNarrow(InvalidInput):
    """A value that a number format cannot hold.

    Attributes:
        value: The value.
        format_name: Of the format.
    """

    def __init__(self, value: float, format_name: str, largest: float, where: str = "") -> None:
        """Say which value, in which format, and where."""
        place = f" ({where})" if where else ""
        super().__init__(
            f"{value:.6g}{place} does not fit into {format_name}, whose largest value is "
            f"{largest:.6g}. Take a wider format, or fewer bits for the fraction."
        )
        self.value, self.format_name, self.largest = value, format_name, largest

    def at(self, where: str) -> TooNarrow:
        """The same, with the place where it happened."""
        return TooNarrow(self.value, self.format_name, self.largest, where)


class NumberFormat(ABC):
    """How words are made, read and computed with."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As a user writes it."""

    @property
    @abstractmethod
    def bits(self) -> int:
        """Of a word."""

    @abstractmethod
    def word(self, value: float) -> Word:
        """The word nearest to a value.

        Raises:
            TooNarrow: No word is near.
        """

    @abstractmethod
    def value(self, word: Word) -> float:
        """What a word stands for."""

    @abstractmethod
    def product(self, a: Word, b: Word) -> Word:
        """Of two words, rounded."""

    @abstractmethod
    def total(self, a: Word, b: Word) -> Word:
        """Of two words, rounded."""

    @abstractmethod
    def difference(self, a: Word, b: Word) -> Word:
        """First less second, rounded."""

    @abstractmethod
    def pattern(self, word: Word) -> int:
        """The bits of a word, as a shift register holds them."""

    @abstractmethod
    def read(self, pattern: int) -> Word:
        """The word of such bits."""

    @property
    def largest_integer(self) -> int:
        """What a word can carry as a plain number, such as that of a chip."""
        return 2 ** (self.bits - 1) - 1


class FloatingPoint(NumberFormat):
    """Words that are numbers themselves; what is computed from them is rounded by ``word``."""

    def value(self, word: Word) -> float:
        """The word itself."""
        return word

    def product(self, a: Word, b: Word) -> Word:
        """Of two words, rounded."""
        return self.word(a * b)

    def total(self, a: Word, b: Word) -> Word:
        """Of two words, rounded."""
        return self.word(a + b)

    def difference(self, a: Word, b: Word) -> Word:
        """First less second, rounded."""
        return self.word(a - b)

    def pattern(self, word: Word) -> int:
        """Sign, exponent and fraction."""
        return int.from_bytes(struct.pack(_IEEE[self.bits], word), "big")

    def read(self, pattern: int) -> Word:
        """The number of such bits; NaN where they are none."""
        (number,) = struct.unpack(_IEEE[self.bits], pattern.to_bytes(self.bits // 8, "big"))
        return float(number)


_IEEE = {32: ">f", 64: ">d"}


@final
@dataclass(frozen=True)
class Double(FloatingPoint):
    """IEEE 754 binary64."""

    @property
    def name(self) -> str:
        """As a user writes it."""
        return "double"

    @property
    def bits(self) -> int:
        """Of a word."""
        return 64

    @property
    def largest_integer(self) -> int:
        """As far as all whole numbers are there."""
        return 2**53

    def word(self, value: float) -> Word:
        """The value itself."""
        number = float(value)
        if not math.isfinite(number):
            raise TooNarrow(number, self.name, 1.7976931348623157e308)
        return number


@final
@dataclass(frozen=True)
class Single(FloatingPoint):
    """IEEE 754 binary32.

    Sums and products of two singles are computed in double and rounded once more. A double has
    more than twice the digits and two, so the second rounding changes nothing.
    """

    @property
    def name(self) -> str:
        """As a user writes it."""
        return "single"

    @property
    def bits(self) -> int:
        """Of a word."""
        return 32

    @property
    def largest_integer(self) -> int:
        """As far as all whole numbers are there."""
        return 2**24

    def word(self, value: float) -> Word:
        """The nearest single."""
        try:
            (number,) = _SINGLE.unpack(_SINGLE.pack(value))
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise TooNarrow(value, self.name, 3.4028234663852886e38)
        return float(number)


_SINGLE = struct.Struct("f")


@final
@dataclass(frozen=True)
class FixedPoint(NumberFormat):
    """Two's complement with a fixed point; words are whole numbers.

    Attributes:
        width: Bits of a word, with the sign.
        fraction: Bits after the point; more than the width is allowed, for small values only.
    """

    width: int
    fraction: int

    def __post_init__(self) -> None:
        check_fields(self)
        if not NARROWEST <= self.width <= WIDEST:
            raise InvalidInput(
                f"fixed point of {self.width} bits; expected {NARROWEST} to {WIDEST}: a chip's "
                f"program travels in words of {NARROWEST} bits or more."
            )
        if not -WIDEST <= self.fraction <= 2 * WIDEST:
            raise InvalidInput(f"{self.fraction} bits after the point; expected up to {WIDEST}.")

    @property
    def name(self) -> str:
        """As a user writes it."""
        return f"fixed:{self.width}.{self.fraction}"

    @property
    def bits(self) -> int:
        """Of a word."""
        return self.width

    @property
    def unit(self) -> float:
        """Value of the last place."""
        return math.ldexp(1.0, -self.fraction)

    def word(self, value: float) -> Word:
        """The nearest whole number of units; halves go to the even one."""
        if not math.isfinite(value):
            raise TooNarrow(value, self.name, self.value(self.largest_integer))
        return self._checked(round(math.ldexp(value, self.fraction)))

    def value(self, word: Word) -> float:
        """Units as a number."""
        return math.ldexp(word, -self.fraction)

    def product(self, a: Word, b: Word) -> Word:
        """Of two words, rounded; halves go up, as a carry does it."""
        exact = int(a) * int(b)
        shift = self.fraction
        if shift <= 0:
            return self._checked(exact << -shift)
        return self._checked((exact + (1 << (shift - 1))) >> shift)

    def total(self, a: Word, b: Word) -> Word:
        """Of two words; it is exact."""
        return self._checked(int(a) + int(b))

    def difference(self, a: Word, b: Word) -> Word:
        """First less second; it is exact."""
        return self._checked(int(a) - int(b))

    def pattern(self, word: Word) -> int:
        """Two's complement."""
        return int(word) % (1 << self.width)

    def read(self, pattern: int) -> Word:
        """The units of such bits."""
        sign = pattern >> (self.width - 1)
        return pattern - (sign << self.width)

    def _checked(self, units: int) -> int:
        limit = 1 << (self.width - 1)
        if -limit <= units < limit:
            return units
        raise TooNarrow(self.value(units), self.name, self.value(limit - 1))


def fitted(width: int, largest: float) -> FixedPoint:
    """Fixed point of some width with as long a fraction as leaves room for the largest value.

    Args:
        width: Bits of a word, with the sign.
        largest: What it has to hold, as a magnitude. One bit more is left free, since rounding
            moves values.
    """
    whole = 0 if largest <= 0 else math.frexp(largest)[1]
    return FixedPoint(width, width - 2 - whole)


@checked
def number_format(text: str, largest: float | None = None) -> NumberFormat:
    """A format by name: ``double``, ``single``, ``fixed:32.16``, or ``fixed:24``.

    Args:
        text: The name. ``fixed:24`` has 24 bits in all, and as many of them after the point as
            leave room for ``largest``; ``fixed:32.16`` has 32, of which 16 after the point.
        largest: The largest magnitude that will occur.

    Raises:
        UnknownName: There is no such format.
        InvalidInput: Its numbers make no sense.
    """
    kind, _, size = text.partition(":")
    if text in FLOATS:
        return Double() if text == "double" else Single()
    if kind != "fixed" or not size:
        raise UnknownName("the chip", "number format", text, (*FLOATS, "fixed:24", "fixed:32.16"))
    width, point, fraction = size.partition(".")
    try:
        numbers = [int(width), int(fraction)] if point else [int(width)]
    except ValueError:
        raise InvalidInput(
            f"number format {shown(text)}: expected fixed:WIDTH or fixed:WIDTH.FRACTION in bits, "
            "such as fixed:24 or fixed:32.16."
        ) from None
    if point:
        return FixedPoint(*numbers)
    if largest is None:
        raise InvalidInput(
            f"number format '{text}' leaves the fraction open; say it as in "
            f"'{text}.{numbers[0] // 2}', or give the largest value that occurs."
        )
    return fitted(numbers[0], largest)

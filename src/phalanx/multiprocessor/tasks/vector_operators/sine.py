"""Sine and cosine as operators: polynomials (Taylor) or CORDIC, written as scalar operations.

Both take whole turns off the angle first, with 2π in two parts so that nothing is lost for some
hundred thousand turns, and are right to about 1e-15.

Reference:
    Volder, The CORDIC trigonometric computing technique, IRE Trans. (1959); reduction by parts
    after Cody and Waite, Software Manual for the Elementary Functions (1980).
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Protocol

from phalanx.multiprocessor.tasks.vector_operators.kinds import ITERATIONS, TERMS, Kind

# 2π = _TURN + _REST, where products of _TURN with numbers of 19 bits are exact
_TURN = float.fromhex("0x1.921fb544p+2")
_REST = float.fromhex("0x1.0b4611a626331p-32")


class Sine(StrEnum):
    """Ways to a sine and a cosine."""

    POLYNOMIAL = "polynomial"
    CORDIC = "cordic"

    @property
    def kind(self) -> Kind:
        """The operator's kind."""
        return Kind.SP if self is Sine.POLYNOMIAL else Kind.SC


class Program(Protocol):
    """Interface of a program that operations are added to."""

    def number(self, value: float) -> int:
        """The node of a number."""

    def add(self, op: str, *args: int) -> int:
        """A further operation; its node."""


def cosine_and_sine(program: Program, method: Sine, angle: int) -> tuple[int, int]:
    """Nodes of the cosine and the sine of an angle [rad]."""
    return (_by_polynomials if method is Sine.POLYNOMIAL else _by_cordic)(program, angle)


def _turns(program: Program, angle: int) -> int:
    """How many whole turns are in an angle, to the nearest."""
    add, number = program.add, program.number
    turns = add("mul", angle, number(1 / (2 * math.pi)))
    return add("floor", add("add", turns, number(0.5)))


def _reduced(program: Program, angle: int, turns: int, part: float) -> int:
    """What is left of an angle without whole turns, times ``part``, a power of two."""
    add, number = program.add, program.number
    near = add("sub", angle, add("mul", turns, number(part * _TURN)))
    return add("sub", near, add("mul", turns, number(part * _REST)))


def _by_polynomials(program: Program, angle: int) -> tuple[int, int]:
    """Of a quarter of the angle, which is at most π/4; then the angle is doubled twice."""
    add, number = program.add, program.number
    turns = _turns(program, angle)
    x = _reduced(program, add("mul", angle, number(0.25)), turns, 0.25)
    z = add("mul", x, x)

    def horner(first: int, terms: int) -> int:
        """1 - z / (first + 1)(first + 2) + …, the series of the cosine, or of the sine over x."""
        signed = [(-1) ** k / math.factorial(2 * k + first) for k in range(terms + 1)]
        value = number(signed[-1])
        for coefficient in reversed(signed[:-1]):
            value = add("add", number(coefficient), add("mul", z, value))
        return value

    c, s = horner(0, TERMS), add("mul", x, horner(1, TERMS - 1))
    for _ in range(2):
        twice = add("add", s, s)
        s, c = add("mul", twice, c), add("sub", number(1.0), add("mul", twice, s))
    return c, s


def _by_cordic(program: Program, angle: int) -> tuple[int, int]:
    """A vector turned by ever smaller angles whose tangents are powers of two: to and fro."""
    add, number = program.add, program.number
    left = _reduced(program, angle, _turns(program, angle), 1.0)
    gain = math.prod(1 / math.sqrt(1 + 0.25**k) for k in range(ITERATIONS))

    def towards(size: float) -> int:
        """A number with the sign of what is left."""
        return add("copysign", number(size), left)

    # a quarter turn costs nothing: it leads from (gain, 0) to (0, ± gain)
    x, y = number(0.0), towards(gain)
    left = add("sub", left, towards(math.pi / 2))
    for k in range(ITERATIONS):
        shift = towards(0.5**k)
        x, y = add("sub", x, add("mul", shift, y)), add("add", y, add("mul", shift, x))
        left = add("sub", left, towards(math.atan(0.5**k)))
    return x, y

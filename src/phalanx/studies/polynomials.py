"""Published operation counts: polynomials of the number of joints."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class CountPolynomial:
    """A count as a function of the number of joints: coefficients from the constant up."""

    coefficients: tuple[Fraction, ...]

    def __call__(self, joints: int) -> Fraction:
        """The count for an arm of so many joints."""
        return sum((c * joints**k for k, c in enumerate(self.coefficients)), Fraction(0))


def polynomial(*coefficients: str | int) -> CountPolynomial:
    """From numbers or fractions as text, the constant first."""
    return CountPolynomial(tuple(Fraction(c) for c in coefficients))


@dataclass(frozen=True)
class PublishedCount:
    """Operations of a method for a general arm, as its literature gives them.

    Attributes:
        method: Who and how.
        multiply: Multiplications.
        add: Additions.
    """

    method: str
    multiply: CountPolynomial
    add: CountPolynomial

    def __call__(self, joints: int) -> tuple[int, int]:
        """Multiplications and additions for an arm of so many joints, rounded to whole ones."""
        return round(self.multiply(joints)), round(self.add(joints))

"""Table O.1: operation counts of inverse dynamics of a general rotary arm by ten methods.

The table prints a count as a polynomial of the number of joints, and its value for six. Two of the
values are not those of their polynomials; :attr:`Cell.agrees` tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.hardware.arrays.array import LINEAR, LOGARITHMIC
from phalanx.hardware.arrays.published import published_latency
from phalanx.studies.dhanaraj.accounting import PUBLISHED
from phalanx.studies.polynomials import CountPolynomial

SIX = 6  # joints of the printed values
CONCURRENCY = Fraction("2.64")  # that Luh and Lin report for the Stanford arm

Count = Callable[[int], Fraction]


@final
@dataclass(frozen=True)
class TableRow:
    """A row of the table.

    Attributes:
        name: Who, or what.
        multiply: Multiplications as a function of the number of joints.
        add: Additions.
        printed: Multiplications and additions that the source prints for six joints.
    """

    name: str
    multiply: Count
    add: Count
    printed: tuple[int, int]


@final
@dataclass(frozen=True)
class TableCell:
    """One number of the table.

    Attributes:
        method: Name of the row.
        operation: ``multiply`` or ``add``.
        count: What the formula gives, rounded.
        printed: What the source prints; None for another number of joints than six.
    """

    method: str
    operation: str
    count: int
    printed: int | None

    @property
    def agrees(self) -> bool:
        """Whether the source prints what its formula gives."""
        return self.printed is None or self.printed == self.count


@checked
def table_o1(joints: int = SIX) -> tuple[TableCell, ...]:
    """Every number of the table for an arm of so many joints.

    Raises:
        InvalidInput: There is no joint.

    Reference:
        Lathrop (1983), table O.1.
    """
    if joints < 1:
        raise InvalidInput(f"an arm of {joints} joints; there must be at least one.")
    return tuple(_cells(joints))


def _cells(joints: int) -> Iterator[TableCell]:
    for method in METHODS:
        printed = method.printed if joints == SIX else (None, None)
        counts = {"multiply": method.multiply(joints), "add": method.add(joints)}
        for (operation, count), value in zip(counts.items(), printed, strict=True):
            yield TableCell(method.name, operation, round(count), value)


def _polynomial(*coefficients: str | int) -> CountPolynomial:
    return CountPolynomial(tuple(Fraction(c) for c in coefficients))


def _parallel(form: str, operation: int) -> Count:
    """Multiplications (0) or additions (1) that follow each other, by either recursion."""
    return lambda joints: Fraction(published_latency(form, joints)[operation])


def _published(name: str, key: str, printed: tuple[int, int]) -> TableRow:
    return TableRow(name, PUBLISHED[key].multiply, PUBLISHED[key].add, printed)


def _scheduled(count: Count) -> Count:
    return lambda joints: count(joints) / CONCURRENCY


_NEWTON_EULER = PUBLISHED["conventional"]

METHODS = (
    # 86 1/12 n^3, where others who print this polynomial have 86 5/12
    TableRow(
        "Uicker, Kahn",
        _polynomial(-128, "160/3", "685/4", "1033/12", "65/2"),
        PUBLISHED["closed_form"].add,
        (66271, 51548),
    ),
    TableRow(
        "Waters", _polynomial(-512, "1241/2", "213/2"), _polynomial(-384, 514, 82), (7051, 5652)
    ),
    _published("Hollerbach, 4×4", "recursive_4x4", (4388, 3586)),
    _published("Hollerbach, 3×3", "recursive_3x3", (2195, 1719)),
    _published("Luh, Walker, Paul", "conventional", (852, 738)),
    TableRow("Horn, Raibert", _polynomial(0, 0, 1, 2), _polynomial(0, 2, 1, 1), (468, 264)),
    # printed rounded, as 57 n - 18 and 50 n - 18, which would be 324 and 282
    TableRow(
        "Luh, Lin",
        _scheduled(_NEWTON_EULER.multiply),
        _scheduled(_NEWTON_EULER.add),
        (323, 280),
    ),
    TableRow("linear parallel", _parallel(LINEAR, 0), _parallel(LINEAR, 1), (15, 43)),
    TableRow(
        "logarithmic parallel", _parallel(LOGARITHMIC, 0), _parallel(LOGARITHMIC, 1), (11, 28)
    ),
    TableRow("systolic, each further set", _polynomial(1), _polynomial(3), (1, 3)),
)
"""Table O.1: methods of inverse dynamics and their published counts of operations."""

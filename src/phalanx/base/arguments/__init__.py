"""Argument validation against type annotations.

``@checked`` on a public function, and ``check_fields(self)`` in a dataclass, compare what came with
what the signature says, and raise InvalidInput that names the argument, what came and what was
expected. What cannot be meant is not taken: a number as text is not a number, nor is a truth
value; one string is not a list of names; 2.5 is not a whole number, while 2.0 is. Values (ranges,
shapes, NaN) are checked by the functions that know their meaning; those in ``values`` help.
"""

from phalanx.base.arguments.validation import check_call, check_fields, checked, checked_but
from phalanx.base.arguments.values import (
    came,
    finite_numbers,
    is_number,
    numbers,
    positive,
    time,
    unfit,
    whole,
)

__all__ = [
    "came",
    "check_call",
    "check_fields",
    "checked",
    "checked_but",
    "finite_numbers",
    "is_number",
    "numbers",
    "positive",
    "time",
    "unfit",
    "whole",
]
__dir__ = __all__.copy

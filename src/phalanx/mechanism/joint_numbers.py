"""The numbers of a joint per degree of freedom: limits, friction, rotor."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.errors import InvalidModel
from phalanx.mechanism.pose import LARGEST, Array, check_size

# their names, and which of them must be finite and not negative
NUMBERS = (
    "lower",
    "upper",
    "velocity_limit",
    "effort_limit",
    "damping",
    "friction",
    "rotor_inertia",
    "gear_ratio",
)
NOT_NEGATIVE = slice(NUMBERS.index("velocity_limit"), NUMBERS.index("gear_ratio"))
FINITE = slice(NUMBERS.index("damping"), None)


def number_table(joint: Any, owner: str, nv: int) -> Array:
    """All numbers as rows of one read-only table, checked at once: long chains build fast.

    Args:
        joint: What has them as attributes, each a number or ``nv`` numbers.
        owner: Its name.
        nv: Its degrees of freedom.

    Raises:
        InvalidModel: When one is not a number, or cannot be meant.
    """
    table = np.empty((len(NUMBERS), nv))
    for name, row in zip(NUMBERS, table, strict=True):
        try:
            row[...] = getattr(joint, name)
        except Exception as error:  # what a foreign object raises when asked for a number
            raise InvalidModel(
                f"the {_words(name)} of joint '{owner}' must be a number or "
                f"{nv} numbers, got {getattr(joint, name)!r}."
            ) from error
    wrong = np.isnan(table)
    wrong[FINITE] |= np.isinf(table[FINITE])
    wrong[NOT_NEGATIVE] |= table[NOT_NEGATIVE] < 0
    if wrong.any():
        k = int(np.argmax(wrong.any(axis=1)))
        raise InvalidModel(
            f"the {_words(NUMBERS[k])} of joint '{owner}' is {table[k].tolist()}: a NaN, "
            "an infinity or negative."
        )
    if table[FINITE].max(initial=0.0) > LARGEST or table[FINITE].min(initial=0.0) < -LARGEST:
        for name, row in zip(NUMBERS[FINITE], table[FINITE], strict=True):
            check_size(f"the {_words(name)} of joint '{owner}'", row)
    table.setflags(write=False)
    return table


def _words(name: str) -> str:
    return name.replace("_", " ")

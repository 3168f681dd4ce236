"""Place of a vector task in its source's arrays."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TaskPlace:
    """Place of a task in its source's arrays.

    Attributes:
        direction: ``joint`` (matrices from angles), ``outward``, ``own`` (the source's
            non-propagated), ``inward`` or ``readout``.
        level: 0 in the linear form and for leaves; 1, 2, … for levels of combination.
        index: The joint, from 1; of a combination outward the last joint of the segment, inward
            the first one, which is the one that keeps the result. 0 is the base.
        role: What its source calls the result: ``T1`` … ``T24``, ``w``, ``dw``, ``a``, …; with a
            number behind it for what hangs on a link beside the first, ``T19.2``.
        first, last: The joints of the segment; equal to the index where there is but one.
    """

    direction: str
    level: int
    index: int
    role: str
    first: int
    last: int

"""Subtask counts of a general arm: 230, 231 or 240."""

from __future__ import annotations

from enum import StrEnum

from phalanx.base.errors import InvalidInput

SUBTASKS = range(1, 44)

# Table 4.2; the first link's row as the schedules of appendix C have it: 119, 127 and 128 fall away
# where the table names 26 and 27
NOT_OF_A_SLIDING_LINK = frozenset((1, 2, 4, 5, 7, 8, 9, 10, 11))
NOT_OF_THE_FIRST_LINK = frozenset((*range(1, 10), *range(11, 20), 27, 28))
NOT_OF_THE_LAST_LINK = frozenset((*range(30, 36), 39, 40))
# Table 4.2 as printed: 26 and 27, where the schedules leave out 19, 27 and 28
_FIRST_LINK_AS_PRINTED = frozenset((*range(1, 10), *range(11, 19), 26, 27))
# Table 4.3 draws 127 and 128, which are zero, and the whole last link
_FIRST_LINK_AS_DRAWN = NOT_OF_THE_FIRST_LINK - {27, 28}


class Accounting(StrEnum):
    """Which of the source's three counts."""

    SCHEDULES = "schedules"  # what appendix C runs: 43 n - 28, 230 for six links
    TEXT = "text"  # 43 n less the 19 and 8 of table 4.2: 231
    TABLE = "table"  # what table 4.3 draws: 240


_ELIMINATED = {
    Accounting.SCHEDULES: (NOT_OF_THE_FIRST_LINK, NOT_OF_THE_LAST_LINK),
    Accounting.TEXT: (_FIRST_LINK_AS_PRINTED, NOT_OF_THE_LAST_LINK),
    Accounting.TABLE: (_FIRST_LINK_AS_DRAWN, frozenset[int]()),
}


def subtask_names(links: int = 6, accounting: Accounting | str = Accounting.SCHEDULES) -> list[str]:
    """Names such as ``"312"`` of the subtasks of a general arm that turns in all its joints.

    Give them to :func:`tabulated` for a task graph.

    Args:
        links: Two or more.
        accounting: Whose count.

    Raises:
        InvalidInput: When there is no such accounting, or fewer than two links.

    Reference:
        Dhanaraj (1990), sec. 4.3.2, tables 4.2 and 4.3, appendix C.
    """
    if accounting not in list(Accounting):
        raise InvalidInput(
            f"accounting is {accounting!r}; expected one of {', '.join(Accounting)}."
        )
    if links < 2:
        raise InvalidInput(f"an arm of {links} links; the source's subtasks need two or more.")
    first, last = _ELIMINATED[Accounting(accounting)]
    return [
        str(100 * link + t)
        for link in range(1, links + 1)
        for t in SUBTASKS
        if not (link == 1 and t in first) and not (link == links and t in last)
    ]

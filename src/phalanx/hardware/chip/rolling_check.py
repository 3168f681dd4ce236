"""Rolling check (fault detection): each chip is checked by its predecessor, which can replace it.

Chips of a chain stand in order behind a spare. In turn each checks its successor: it reads the same
operands, does the same work, and compares. When the results are equal it takes the place of its
successor for as long as that one goes on to check the next; at the end of the chain all return, and
the sweep begins anew. When they differ, the checker inhibits its successor and keeps its place
until it is replaced. All from there back to the spare then work one place further on, so no work
is left out; nor is anything checked any more, so a chain bears one fault.

A check says that a chip did its own work right in that cycle, and no more. A fault that does not
show in it, or that strikes while its chip checks another, makes that chip accuse a sound neighbour
and take its place.

A chip's test signal reaches its successor in the same cycle, the signal back one cycle later. The
last chip has no successor to check and turns the sweep round at once. So a sweep over P chips and
the spare takes 2(P + 1) cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum


class ChipState(Enum):
    """What a chip of a chain does in a cycle."""

    NORMAL = "normal"
    CHECK = "check"
    SUBSTITUTE = "substitute"
    RETURN = "return"
    HOLD = "hold"
    INHIBITED = "inhibited"

    @property
    def in_place_of_successor(self) -> bool:
        """Whether it does the work of its successor, to compare or to hand it on."""
        return self in (ChipState.CHECK, ChipState.SUBSTITUTE, ChipState.HOLD)

    @property
    def drives_own(self) -> bool:
        """Whether its result goes to its own place."""
        return self is ChipState.NORMAL

    @property
    def drives_successor(self) -> bool:
        """Whether its result goes to the place of its successor."""
        return self in (ChipState.SUBSTITUTE, ChipState.HOLD)


def next_states(
    states: Sequence[ChipState], equal: Sequence[bool], dead: Sequence[bool] = ()
) -> list[ChipState]:
    """The states of a chain in the next cycle.

    Args:
        states: Of the spare and all chips behind it, in this cycle.
        equal: What each chip's comparison in this cycle found; counts for one that checks.
        dead: Which chips give no signal of any kind.
    """
    silent = list(dead) or [False] * len(states)
    last = len(states) - 1
    after: list[ChipState] = []
    for k, state in enumerate(states):
        before = after[k - 1] if k and not silent[k - 1] else None
        if before is ChipState.HOLD:
            after.append(ChipState.INHIBITED)  # by gates at its pins, whatever is broken inside
        elif silent[k]:
            after.append(state)
        else:
            tested = before is ChipState.SUBSTITUTE if k else state is ChipState.RETURN
            # the last chip gets its own signal back
            returning = (
                state is ChipState.SUBSTITUTE
                if k == last
                else states[k + 1] is ChipState.RETURN and not silent[k + 1]
            )
            after.append(_next(state, tested, returning, equal[k], k == last))
    return after


def first_states(chips: int) -> list[ChipState]:
    """A chain at the start of a sweep: the spare checks the first chip.

    Args:
        chips: How many, without the spare.
    """
    return [ChipState.CHECK, *[ChipState.NORMAL] * chips]


def _next(state: ChipState, tested: bool, returning: bool, equal: bool, is_last: bool) -> ChipState:
    if state is ChipState.CHECK:
        return ChipState.SUBSTITUTE if equal else ChipState.HOLD
    if state is ChipState.SUBSTITUTE:
        return ChipState.RETURN if returning else ChipState.SUBSTITUTE
    if state in (ChipState.HOLD, ChipState.INHIBITED):
        return state
    if tested:
        return ChipState.SUBSTITUTE if is_last else ChipState.CHECK
    return ChipState.NORMAL

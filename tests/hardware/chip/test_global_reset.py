"""The Global-Reset line: modes from one wire, from any state."""

from __future__ import annotations

import itertools

import pytest

from phalanx.hardware.chip.global_reset import HELD, RELEASED, ModeSense, ResetEvent

C, F, P, M, N = (
    ResetEvent.CYCLE,
    ResetEvent.FLOP,
    ResetEvent.PROGRAM,
    ResetEvent.MAINTENANCE,
    ResetEvent.NOTHING,
)


def heard(sense: ModeSense, line: str) -> list[ResetEvent]:
    """What a line means, 1 for True."""
    return [sense.step(tick == "1") for tick in line]


def test_all_modes_over_one_wire():
    sense = ModeSense()
    assert heard(sense, "1000100") == [C, F, F, F, C, F, F]
    assert heard(sense, "11") == [C, N]  # held: what looked like a cycle is the end of data mode
    assert heard(sense, "01011") == [N, P, N, P, N]
    assert heard(sense, "001001") == [N, N, M, N, N, M]
    assert heard(sense, "01") == [N, P]
    assert heard(sense, "0000") == [N, N, N, F]
    assert heard(sense, "1010") == [C, F, C, F]  # cycles of two Flops


STATES = list(itertools.product([False, True], range(4), range(4)))


@pytest.mark.parametrize("state", STATES)
def test_any_state_is_put_right(state):
    sense = ModeSense(*state)
    heard(sense, "1" * HELD)
    assert heard(sense, "01") == [N, P]
    heard(sense, "0" * RELEASED)
    assert heard(sense, "100") == [C, F, F]

"""The rolling check by itself: one sweep, one driver for each role, one fault for each chain."""

from __future__ import annotations

import pytest

from phalanx.hardware.chip.rolling_check import ChipState, first_states, next_states

N, C, S, R, H, X = (
    ChipState.NORMAL,
    ChipState.CHECK,
    ChipState.SUBSTITUTE,
    ChipState.RETURN,
    ChipState.HOLD,
    ChipState.INHIBITED,
)


def drivers(states: list[ChipState]) -> list[int]:
    """How many chips drive each role; chip k has role k, the spare (chip 0) none."""
    count = [0] * len(states)
    for k, state in enumerate(states):
        count[k] += state.drives_own
        if state.drives_successor and k + 1 < len(states):
            count[k + 1] += 1
    return count[1:]


def test_a_sweep_over_three_chips_step_by_step():
    states, seen = first_states(3), []
    for _ in range(9):
        seen.append(states)
        states = next_states(states, [True] * 4)
    assert seen == [
        [C, N, N, N],
        [S, C, N, N],
        [S, S, C, N],
        [S, S, S, S],  # the last has nobody to check and hears itself
        [S, S, S, R],
        [S, S, R, N],
        [S, R, N, N],
        [R, N, N, N],
        [C, N, N, N],  # and again
    ]


@pytest.mark.parametrize("chips", [1, 2, 4, 10, 33])
def test_a_sweep_takes_two_cycles_for_each_chip_and_the_spare(chips):
    states = first_states(chips)
    checked = []
    for cycle in range(4 * (chips + 1)):
        assert drivers(states) == [1] * chips
        checked += [(cycle, k + 1) for k, state in enumerate(states) if state is C]
        states = next_states(states, [True] * (chips + 1))
    sweep = 2 * (chips + 1)
    assert checked == [(start + k, k + 1) for start in (0, sweep) for k in range(chips)]


@pytest.mark.parametrize("faulty", [1, 3, 5])
def test_a_chip_that_differs_is_inhibited_and_its_role_kept(faulty):
    chips = 5
    states = first_states(chips)
    for cycle in range(30):
        # who checks the faulty chip sees a difference
        states = next_states(states, [k + 1 != faulty for k in range(chips + 1)])
        if cycle >= faulty - 1:
            assert states[faulty - 1] is H and states[faulty] is X
            assert all(state is S for state in states[: faulty - 1])
            assert all(state is N for state in states[faulty + 1 :])
        assert drivers(states) == [1] * chips


def test_a_dead_chip_gives_no_signal_so_its_place_stays_taken():
    dead = [False, False, True, False, False]
    states = [S, S, C, N, N]  # chip 2 dies while it checks chip 3
    for _ in range(20):
        states = next_states(states, [True] * 5, dead)
    assert states == [S, S, C, N, N]
    assert drivers(states) == [1] * 4

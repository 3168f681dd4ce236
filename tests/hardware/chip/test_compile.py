"""Boards: buffers as long as results wait, chains that cover all chips."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.chip.samples import random_program, relay
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import compile_program, route


def test_buffers_hold_what_was_overtaken():
    # each sum reads y of the host, which the k-th needs k Flops after it was written
    board = compile_program(relay(9), cycle=4)
    assert [duty.b.delay for duty in board.duties] == [k // 4 for k in range(9)]
    assert [duty.a[0].delay for duty in board.duties] == [0] * 9
    assert (board.latency, board.buffers, board.input_buffers) == (9, 0, 0 * 4 + 1 * 4 + 2)


def test_a_slow_wire_is_a_longer_buffer():
    board = compile_program(relay(3), cycle=4, transfer=9)
    assert [duty.start for duty in board.duties] == [0, 10, 20]
    assert [duty.a[0].delay for duty in board.duties] == [0, 2, 2]


def test_ways_of_packets_and_notices_are_counted_in_cycles():
    board = compile_program(relay(9), cycle=4)
    assert board.program_depth == 9
    assert board.depth == 9
    slow = compile_program(relay(3), cycle=4, transfer=9)
    assert slow.program_depth == 3 + 2 + 2


@pytest.mark.parametrize("spares", [1, 2, 7])
def test_chains_share_out_all_sockets(spares):
    program = random_program(np.random.default_rng(0))
    board = compile_program(program, spares=spares)
    assert [k for chain in board.chains for k in chain] == list(range(len(program)))
    lengths = [len(chain) for chain in board.chains]
    assert len(lengths) == spares and max(lengths) - min(lengths) <= 1
    assert board.chips == len(program) + spares


@pytest.mark.parametrize("period", [1, 2, 5, None])
def test_chips_share_duties_of_one_kind_that_never_meet(period):
    program = random_program(np.random.default_rng(7), count=60)
    board = compile_program(program, period=period)
    assert sorted(k for duties in board.sockets for k in duties) == list(range(len(program)))
    for duties in board.sockets:
        assert len({board.duties[k].program for k in duties}) == 1
        turns = [board.duties[k].start // board.cycle % board.period for k in duties]
        assert len(set(turns)) == len(turns)
    if period is None:
        assert board.interval >= board.latency
    # no fewer: some cycle of the period keeps all chips of a kind busy
    for program_of in {duty.program for duty in board.duties}:
        alike = [d for d in board.duties if d.program == program_of]
        turns = [d.start // board.cycle % board.period for d in alike]
        chips = sum(board.first_duties[k].program == program_of for k in range(len(board.sockets)))
        assert chips == max(turns.count(turn) for turn in turns)


def test_numbers_that_do_not_fit():
    program = relay(4)
    with pytest.raises(InvalidInput, match="5 chains of 4 chips"):
        compile_program(program, spares=5)
    with pytest.raises(InvalidInput, match="a cycle of 5 Flops; the routing is for 4"):
        compile_program(program, cycle=5, routing=route(program))
    with pytest.raises(InvalidInput, match="a new set every 0 cycles"):
        compile_program(program, period=0)
    with pytest.raises(InvalidInput, match="leave out the bus"):
        compile_program(program, period=2, routing=route(program))

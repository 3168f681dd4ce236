"""Boards: buffers as long as results wait, chains that cover all chips."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.chip import compile_program, route

from .samples import random_program, relay


def test_buffers_hold_what_was_overtaken():
    # each sum reads y of the host, which the k-th needs k Flops after it was written
    board = compile_program(relay(9), cycle=4)
    assert [socket.b.delay for socket in board.sockets] == [k // 4 for k in range(9)]
    assert [socket.a[0].delay for socket in board.sockets] == [0] * 9
    assert (board.latency, board.buffers, board.input_buffers) == (9, 0, 0 * 4 + 1 * 4 + 2)


def test_a_slow_wire_is_a_longer_buffer():
    board = compile_program(relay(3), cycle=4, transfer=9)
    assert [socket.start for socket in board.sockets] == [0, 10, 20]
    assert [socket.a[0].delay for socket in board.sockets] == [0, 2, 2]


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


def test_numbers_that_do_not_fit():
    program = relay(4)
    with pytest.raises(InvalidInput, match="5 chains of 4 chips"):
        compile_program(program, spares=5)
    with pytest.raises(InvalidInput, match="a cycle of 5 Flops; the routing is for 4"):
        compile_program(program, cycle=5, routing=route(program))

"""Chips on boards: the same numbers as by NumPy, however they are wired, clocked and numbered."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from hardware.chip.samples import random_program, random_values, relay
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import (
    Board,
    BusConflict,
    ChipProgram,
    Double,
    Fault,
    FixedPoint,
    Host,
    Instruction,
    Network,
    Single,
    TooNarrow,
    VectorWriter,
    compile_program,
    number_format,
    route,
    run_on_chips,
)
from phalanx.hardware.chip.global_reset import RELEASED
from phalanx.hardware.chip.host import cycles_needed

RNG = np.random.default_rng(11)
PROGRAM = random_program(RNG)
VALUES = random_values(PROGRAM, RNG)
EXPECTED = PROGRAM.evaluate(VALUES)
SCALE = np.abs(EXPECTED).max()

BOARDS = {
    "own wires": {},
    "longer cycle": {"cycle": 9},
    "shortest cycle": {"cycle": 3},
    "slow wires": {"transfer": 5},
    "checked": {"spares": 3},
    "shared": {"period": 3},
    "one at a time": {"period": None},
    "shared, checked": {"period": 2, "spares": 2},
    "buses": {"routing": route(PROGRAM)},
    "buses, checked": {"routing": route(PROGRAM, cycle=6), "spares": 2},
}


@pytest.mark.parametrize("options", BOARDS.values(), ids=BOARDS)
def test_sets_that_follow_each_other_come_out_right(options):
    found = run_on_chips(compile_program(PROGRAM, **options), Double(), VALUES)
    np.testing.assert_allclose(found, EXPECTED, atol=1e-14 * SCALE)


@pytest.mark.parametrize("seed", range(6))
def test_any_program_on_any_board(seed):
    rng = np.random.default_rng((seed, 1))
    program = random_program(rng, count=25)
    values = random_values(program, rng, sets=3)
    options = list(BOARDS.values())[int(rng.integers(8))]
    found = run_on_chips(compile_program(program, **options), Double(), values)
    expected = program.evaluate(values)
    np.testing.assert_allclose(found, expected, atol=1e-14 * max(1.0, np.abs(expected).max()))


SCRAMBLED = [BOARDS[name] for name in ("own wires", "shared", "checked", "buses")]


@pytest.mark.parametrize("options", SCRAMBLED)
@pytest.mark.parametrize("words", [Double(), Single(), FixedPoint(32, 24)], ids=lambda w: w.name)
def test_chips_are_programmed_from_any_state(options, words):
    board = compile_program(PROGRAM, **options)
    small = VALUES / 8  # so that eight bits before the point are enough
    expected = run_on_chips(board, words, small)
    for seed in range(3):
        network = Network(board, words)
        network.scramble(np.random.default_rng(seed))
        host = Host(network)
        host.program()
        np.testing.assert_array_equal(host.run(small), expected)


def test_a_result_is_out_at_the_flop_that_the_board_says():
    board = compile_program(relay(7), cycle=4)
    network = Network(board, Double())
    Host(network).program()
    given = [(1.0, 2.0, 3.0), (0.5, 0.25, 0.125)]
    for _ in range(RELEASED):
        network.tick(False, given)
    seen = {}
    for flop in range(3 * board.cycle):
        network.tick(flop % board.cycle == 0, given)
        seen[flop + 1] = network.result(len(board.duties) - 1)
    first = next(flops for flops, vector in seen.items() if vector == (4.5, 3.75, 3.875))
    assert first == board.latency == 7
    assert cycles_needed(board, 1) == 2


CYCLE = 9


def timed(load_a: int, load_b: int, dump: int) -> Network:
    """A chip that adds x and y by Flop 4 of a cycle, and one that adds that to itself when told."""
    writer = VectorWriter("delays")
    x, y = writer.given("x"), writer.given("y")
    total = writer.apply("VA", x, y, "total")
    writer.result("double", writer.apply("VA", total, total, "double"))
    board = compile_program(writer.program(), cycle=CYCLE)
    programs = [
        replace(board.duties[0].program, load_a=2, load_b=3, dump=4),
        replace(board.duties[1].program, load_a=load_a, load_b=load_b, dump=dump),
    ]
    duties = zip(board.duties, programs, strict=True)
    duties = tuple(replace(duty, program=program) for duty, program in duties)
    network = Network(replace(board, duties=duties), Double())
    Host(network).program()
    return network


@pytest.mark.parametrize("load_b", range(CYCLE - 1))
def test_comparators_load_and_dump_when_the_counter_says(load_b):
    """F30, F31: three delays after the start of each cycle, counted in Flops.

    The result that is read changes in Flop 4. An operand loaded before is that of the cycle before.
    """
    for load_a in range(load_b + 1):
        for dump in range(load_b + 1, CYCLE + 1):
            network = timed(load_a, load_b, dump)
            for _ in range(RELEASED):
                network.tick(False, [(0.0,) * 3] * 2)
            seen = []
            for k in range(1, 5):
                given = [(10.0**k, 0.0, 0.0), (2 * 10.0**k, 0.0, 0.0)]
                for flop in range(CYCLE):
                    network.tick(flop == 0, given)
                    seen.append(network.result(1)[0])
            totals = [0.0, *(3 * 10.0**k for k in range(1, 5))]
            for k in range(2, 4):
                a, b = (totals[k + 1 - (load < 4)] for load in (load_a, load_b))
                cycle = seen[k * CYCLE : (k + 1) * CYCLE]
                before = seen[k * CYCLE - 1]
                assert cycle == [before] * (dump - 1) + [a + b] * (CYCLE - dump + 1)


def test_a_late_cycle_start_loses_one_set_and_no_more():
    board = compile_program(relay(3), cycle=4)
    host = Host(Network(board, Double()))
    host.program()
    network = host.network
    given = [(1.0, 2.0, 3.0), (0.5, 0.25, 0.125)]
    for line in [False] * RELEASED + [True, False, False, False] * 2:
        network.tick(line, given)
    # the clock goes on for three ticks too long, as after a glitch; the next reset sets it right
    for line in [False] * 3 + [True, False, False, False] * 2:
        network.tick(line, given)
    assert network.result(2) == (2.5, 2.75, 3.375)


def test_swapped_chips_work_once_they_are_addressed_as_they_stand():
    board = compile_program(PROGRAM)
    numbers = [int(n) for n in np.random.default_rng(0).permutation(500)[: board.chips] + 1]
    swapped = numbers.copy()
    # two chips whose programs differ
    other = next(k for k in range(1, 20) if board.duties[k].program != board.duties[0].program)
    swapped[0], swapped[other] = swapped[other], swapped[0]
    network = Network(board, Double(), swapped)
    stale = Host(network, numbers)
    stale.program()
    assert not np.allclose(stale.run(VALUES), EXPECTED)
    host = Host(network, swapped)
    host.program()
    np.testing.assert_allclose(host.run(VALUES), EXPECTED, atol=1e-14 * SCALE)


def test_microcode_of_the_host_s_own_runs_on_a_board():
    board = compile_program(relay(2))
    minus = Instruction(x1="A.own", x2="B.own", add="-").encoded(last=True)
    first = board.duties[0]
    less = replace(first, program=replace(first.program, operation=0, written=True))
    board = replace(board, duties=(less, board.duties[1]))
    host = Host(Network(board, Double()))
    host.program({0: [minus]})
    values = np.array([[[1.0, 2.0, 3.0], [0.5, 0.25, 8.0]]])
    assert host.run(values).tolist() == [[1.0, 2.0, 3.0]]  # x - y + y


def test_too_few_chips_and_two_with_one_number():
    board = compile_program(relay(5), spares=1)
    with pytest.raises(InvalidInput, match=r"needs 6 chips \(5 at work, 1 spare\); there are 4"):
        Network(board, Double(), [1, 2, 3, 4])
    with pytest.raises(InvalidInput, match="chips 1 and 3 both have number 7"):
        Network(board, Double(), [1, 7, 2, 7, 3, 4])
    network = Network(board, Double())
    with pytest.raises(InvalidInput, match="the host knows 2 numbers; the board has 6 chips"):
        Host(network, [1, 2])
    with pytest.raises(InvalidInput, match="no chip has number 99"):
        network.break_later(Fault(99, "dead"))


def test_more_chips_than_numbers():
    board = Board(relay(1), 4, compile_program(relay(1)).duties, ((0,),) * 8192)
    with pytest.raises(InvalidInput, match="needs 8192 chips; packets can tell 8191 apart"):
        Network(board, Double())


def test_what_does_not_fit_is_named_with_chip_role_and_set():
    board = compile_program(relay(30))
    values = np.zeros((3, 2, 3))
    values[2] = [[100.0, 0, 0], [1.0, 0, 0]]
    with pytest.raises(TooNarrow, match=r"128 \(chip 28, 'sum 27', set 2\) does not fit"):
        run_on_chips(board, FixedPoint(16, 8), values)
    values[1, 0, 0] = 200.0
    with pytest.raises(TooNarrow, match="what the host writes as 'x', set 1"):
        run_on_chips(board, FixedPoint(16, 8), values)


def test_what_was_there_before_the_first_set_may_overflow():
    board = compile_program(relay(30))
    network = Network(board, FixedPoint(16, 15))  # nothing beyond 1 fits
    network.scramble(np.random.default_rng(2))
    host = Host(network)
    host.program()
    values = np.full((2, 2, 3), 1 / 64)
    np.testing.assert_allclose(host.run(values), 31 / 64, atol=1e-12)


def test_two_results_on_one_bus_are_an_error():
    routing = route(PROGRAM)
    keys = sorted(routing.slots)
    first = keys[0]
    other = next(key for key in keys if key[0] != first[0])
    wrong = replace(
        routing,
        slots={**routing.slots, other: routing.slots[first]},
        buses={**routing.buses, other: routing.buses[first]},
    )
    with pytest.raises(BusConflict, match="both drive segment"):
        run_on_chips(compile_program(PROGRAM, routing=wrong), Double(), VALUES)


def test_wider_words_are_nearer_to_double():
    board = compile_program(PROGRAM)
    largest = PROGRAM.largest(VALUES)
    errors = [
        np.abs(run_on_chips(board, number_format(f"fixed:{w}", largest), VALUES) - EXPECTED).max()
        for w in (20, 28, 36, 44)
    ]
    assert all(wide < narrow / 16 for narrow, wide in pairwise(errors))


def test_programs_have_room_in_the_narrowest_words():
    words = FixedPoint(16, 8)
    program = ChipProgram(127, 127, 127, 31, 2, True)
    assert max(program.words()) <= words.largest_integer

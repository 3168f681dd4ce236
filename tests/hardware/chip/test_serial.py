"""Serial ports: vectors bit after bit, the time that takes, chips that wait for the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.chip.samples import mixing, random_program, random_values, relay
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import (
    Double,
    FixedPoint,
    Host,
    Network,
    SerialPorts,
    Single,
    TooNarrow,
    compile_program,
    route,
    run_on_chips,
)
from phalanx.hardware.chip.timetable import flops, least_cycle

FORMATS = [Double(), Single(), FixedPoint(24, 16), FixedPoint(17, 3)]
PROGRAM = mixing()
VALUES = random_values(PROGRAM, np.random.default_rng(2)) / 8


@pytest.mark.parametrize(
    ("bits", "rate", "wires", "ticks", "taken", "pins"),
    [
        (24, 24, 1, 72, 3, 8),  # a word a Flop on each wire
        (24, 24, 3, 24, 1, 14),  # a wire for each component
        (24, 1, 72, 1, 1, 221),  # all at once
        (24, 16, 1, 72, 5, 8),
        (16, 7, 2, 24, 4, 11),
        (17, 10, 2, 26, 3, 11),  # 51 bits on two wires
    ],
)
def test_time_and_pins_of_a_vector(bits, rate, wires, ticks, taken, pins):
    ports = SerialPorts(bits, rate, wires)
    assert (ports.ticks(), ports.flops(), ports.pins) == (ticks, taken, pins)
    assert ports.ticks(3) == 3 * ticks and ports.flops(3) == 3 * taken


def bits_of(vector, words):
    return [int(bit) for word in vector for bit in f"{words.pattern(word):0{words.bits}b}"]


@pytest.mark.parametrize("words", FORMATS, ids=lambda words: words.name)
@pytest.mark.parametrize(("rate", "wires"), [(1, 1), (5, 1), (7, 2), (64, 3), (1, 192)])
def test_a_register_takes_bit_after_bit(words, rate, wires):
    """Against a list of bits that is moved on by one place for each that comes."""
    ports = SerialPorts(words.bits, rate, wires)
    vector = tuple(words.word(x) for x in (1.5, -2.25, 0.125))
    before = tuple(words.word(x) for x in (-0.5, 3.0, -1.0))
    register, coming = bits_of(before, words), bits_of(vector, words)
    seen = []
    for flop in range(ports.flops() + 2):
        held = ports.received(flop, vector, before, words)
        seen.append(held == vector)
        if not any(x != x for x in held):  # NaN has many patterns
            assert bits_of(held, words) == register
        for _ in range(rate * wires):
            if coming:
                register = [*register[1:], coming.pop(0)]
    assert seen.index(True) == ports.flops()
    assert all(seen[ports.flops() :])


@pytest.mark.parametrize("words", FORMATS, ids=lambda words: words.name)
def test_every_word_is_its_pattern(words):
    values = [0.0, 1.0, -1.0, 0.3, -0.7, 100.0, -100.0]
    some = [words.word(x) for x in values]
    patterns = [words.pattern(word) for word in some]
    assert [words.read(pattern) for pattern in patterns] == some
    assert all(0 <= pattern < 2**words.bits for pattern in patterns)
    assert len(set(patterns)) == len(some)


def serial_times(program, ports):
    """When each operation begins, by hand: its last operand, and the time to shift it in."""
    finishes = []
    starts = []
    for operation in program.operations:
        there = [
            (0 if source.from_host else finishes[source.place]) + ports.flops(len(operand.sources))
            for operand in (operation.a, operation.b)
            for source in operand.sources
        ]
        starts.append(max(there))
        finishes.append(starts[-1] + flops(operation.kind))
    return starts, finishes


@pytest.mark.parametrize(("rate", "wires"), [(24, 1), (24, 3), (10, 1), (1, 72)])
@pytest.mark.parametrize("options", [{}, {"period": 3}, {"spares": 2}], ids=str)
def test_chips_with_serial_ports_compute_the_same_bit_for_bit(rate, wires, options):
    words, ports = FixedPoint(24, 16), SerialPorts(24, rate, wires)
    board = compile_program(PROGRAM, ports=ports, **options)
    plain = compile_program(PROGRAM, **options)
    np.testing.assert_array_equal(
        run_on_chips(board, words, VALUES), run_on_chips(plain, words, VALUES)
    )
    assert board.cycle == max(4, 3 + ports.flops(3))  # a matrix and a vector
    if "spares" not in options:
        starts, finishes = serial_times(PROGRAM, ports)
        assert [duty.start for duty in board.duties] == starts
        last = max(finishes[output.operation] for output in PROGRAM.outputs)
        assert board.latency == last + ports.flops()


@given(seed=st.integers(0, 999), rate=st.integers(5, 80), wires=st.sampled_from([1, 2, 3, 72]))
def test_any_program_over_any_ports(seed, rate, wires):
    rng = np.random.default_rng(seed)
    program = random_program(rng, count=12)
    values = random_values(program, rng, sets=2)
    board = compile_program(program, ports=SerialPorts(64, rate, wires))
    found = run_on_chips(board, Double(), values)
    expected = program.evaluate(values)
    np.testing.assert_allclose(found, expected, atol=1e-14 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("early", ["load_a", "load_b"])
def test_an_operand_that_is_loaded_before_its_last_bit_is_wrong(early):
    words, ports = FixedPoint(24, 16), SerialPorts(24, 24)
    board = compile_program(relay(3), ports=ports, cycle=8)
    values = random_values(board.program, np.random.default_rng(3), sets=4) / 8
    expected = run_on_chips(board, words, values)
    first = board.duties[0]
    assert (first.program.load_a, first.program.load_b) == (3, 3)
    changed = replace(first.program, **{early: 2})
    wrong = replace(board, duties=(replace(first, program=changed), *board.duties[1:]))
    try:
        found = run_on_chips(wrong, words, values)
    except TooNarrow:
        return  # half a word and half another may be anything
    assert (found != expected).any()


def test_the_cycle_has_room_for_shifting_and_computing():
    ports = SerialPorts(24, 24)
    assert least_cycle(PROGRAM, ports) == 3 + 9
    assert least_cycle(relay(2), ports) == 1 + 3
    assert compile_program(PROGRAM, ports=ports, cycle=12).interval == 12
    with pytest.raises(InvalidInput, match=r"a cycle of 11 Flops; .* expected 12 or more"):
        compile_program(PROGRAM, ports=ports, cycle=11)
    # registers that are shifted at once leave the cycle as it is
    assert compile_program(PROGRAM, ports=SerialPorts(24, 72, 3)).cycle == 6


def test_ports_that_cannot_be():
    for wrong in ({"bits": 0}, {"rate": 0}, {"wires": 0}):
        with pytest.raises(InvalidInput, match="expected 1 or more"):
            SerialPorts(**{"bits": 24, "rate": 24, **wrong})
    ports = SerialPorts(24, 24)
    with pytest.raises(InvalidInput, match="leave out the serial ports, or the bus"):
        compile_program(PROGRAM, ports=ports, routing=route(PROGRAM))
    network = compile_program(PROGRAM, ports=ports)
    with pytest.raises(InvalidInput, match=r"words of 64 bits \(double\) on serial ports for 24"):
        Host(Network(network, Double()))

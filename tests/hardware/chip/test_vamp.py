"""One chip: registers, packets, shapes of operands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import ChipProgram, Double, Instruction, Vamp
from phalanx.hardware.chip.vamp import MICROCODE, NEXT_PROGRAM, OWN_PROGRAM, packet

PROGRAMS = st.builds(
    ChipProgram,
    *[st.integers(0, 127)] * 3,
    st.integers(0, 31),
    st.integers(0, 2),
    st.booleans(),
)


@given(PROGRAMS)
def test_programs_travel_in_two_words_of_fifteen_bits(program):
    words = program.words()
    assert all(0 <= word < 2**15 for word in words)
    assert ChipProgram.read(*words) == program


@given(st.integers(-(2**15), 2**15), st.integers(-(2**15), 2**15))
def test_any_two_words_are_some_program(first, second):
    assert isinstance(ChipProgram.read(first, second), ChipProgram)


def test_a_chip_takes_what_carries_its_number_and_nothing_else():
    chip = Vamp(5, Double())
    before, other = chip.program, ChipProgram(1, 2, 3, 4)
    for purpose in (OWN_PROGRAM, NEXT_PROGRAM, MICROCODE):
        chip.take(packet(6, purpose, *other.words()))
    chip.take((0.25, -0.5, 0.125))  # a data word
    assert (chip.program, chip.successor, set(chip.memory)) == (before, None, {0})
    chip.take(packet(5, OWN_PROGRAM, *other.words()))
    chip.take(packet(5, NEXT_PROGRAM, *other.words()))
    chip.take(packet(5, MICROCODE, 3, 77))
    assert (chip.program, chip.successor, chip.memory[3]) == (other, other, 77)


def run(
    chip: Vamp, lines: np.ndarray, b: np.ndarray, program: ChipProgram
) -> tuple[np.ndarray, int]:
    """A chip's result, and how many Flops it took."""
    chip.load_a([tuple(line) for line in np.atleast_2d(lines)], program.shape)
    chip.load_b(tuple(b), program)
    flops = 0
    while chip.step is not None:
        chip.compute()
        flops += 1
    return np.array(chip.result()), flops


def test_a_matrix_comes_as_rows_or_columns():
    rng = np.random.default_rng(1)
    M, x = rng.integers(-9, 9, (3, 3)).astype(float), rng.integers(-9, 9, 3).astype(float)
    chip = Vamp(1, Double())
    for shape, lines in (("rows", M), ("columns", M.T)):
        found, flops = run(chip, lines, x, ChipProgram.of("MV", shape, 0, 3))
        np.testing.assert_array_equal(found, M @ x)
        assert flops == 3


def test_the_host_can_write_operations_that_the_table_lacks():
    chip = Vamp(9, Double())
    # a vector less another, and the squares of a vector: one Flop each
    difference = Instruction(x1="A.own", x2="B.own", add="-").encoded(last=True)
    square = Instruction(x1="B.own", x2="B.own", m1="buses").encoded(last=True)
    for address, word in enumerate((difference, square)):
        chip.take(packet(9, MICROCODE, address, word))
    a, b = np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, 11.0])
    for address, expected in ((0, a - b), (1, b * b)):
        found, flops = run(chip, a, b, ChipProgram(0, 0, 1, address, written=True))
        np.testing.assert_array_equal(found, expected)
        assert flops == 1


@pytest.mark.parametrize("number", [-1, 8192])
def test_numbers_that_cannot_be_burned_in(number):
    with pytest.raises(InvalidInput, match="expected 0 to 8191"):
        Vamp(number, Double())


@pytest.mark.parametrize("wrong", [(-1, 0, 1, 0), (0, 128, 1, 0), (0, 0, 1, 32), (0, 0, 1, 0, 3)])
def test_programs_that_registers_cannot_hold(wrong):
    with pytest.raises(InvalidInput, match="a chip's program has"):
        ChipProgram(*wrong)

"""Microcode as the source prints it, as words, and with what cannot be."""

from __future__ import annotations

import pytest

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import TABLE_VII_1, Instruction
from phalanx.hardware.chip.microcode import FACTORS, SOURCES, SUMS

# Table VII.1 for component 3: Flop, destination, sources, as the source prints it. The scan lost
# what multiplier 1 takes in Flop 2 of the dot product; it can only be the product still missing.
PRINTED = {
    "VA": [(1, "BUS-1", "A3"), (1, "BUS-2", "B3"), (1, "ADDER", "BUS-1 BUS-2")],
    "SV": [(1, "BUS-1", "A1"), (1, "BUS-2", "B3"), (1, "MULT-1", "BUS-1 BUS-2")],
    "MV": [
        (1, "BUS-1", "A3"),
        (1, "BUS-2", "B3"),
        (1, "MULT-1", "BUS-1 BUS-2"),
        (1, "MULT-2", "A2 B2"),
        (2, "BUS-1", "MULT-1"),
        (2, "BUS-2", "MULT-2"),
        (2, "ADDER", "BUS-1 BUS-2"),
        (2, "MULT-1", "A1 B1"),
        (3, "BUS-1", "MULT-1"),
        (3, "BUS-2", "ADDER"),
        (3, "ADDER", "BUS-1 BUS-2"),
    ],
    "VC": [
        (1, "BUS-1", "B2"),
        (1, "BUS-2", "B1"),
        (1, "MULT-1", "BUS-1 A1"),
        (1, "MULT-2", "BUS-2 A2"),
        (2, "BUS-1", "MULT-1"),
        (2, "BUS-2", "MULT-2"),
        (2, "SUBTRACTOR", "BUS-1 BUS-2"),
    ],
}
NAMES = {"M1": "MULT-1", "M2": "MULT-2", "ADD": "ADDER", "A.1": "A1"}
NAMES |= {
    f"{port}.{place}": f"{port}{k}"
    for port in "AB"
    for place, k in (("own", 3), ("next", 1), ("after", 2))
}


def printed(operation: str) -> list[tuple[int, str, str]]:
    """The microcode in the form of the printed table."""
    rows = []
    for flop, step in enumerate(TABLE_VII_1[operation].instructions, start=1):
        rows += [(flop, f"BUS-{k}", NAMES[x]) for k, x in ((1, step.x1), (2, step.x2)) if x]
        for k, takes, beside in ((1, step.m1, "A1 B1"), (2, step.m2, "A2 B2")):
            words = {"buses": "BUS-1 BUS-2", "beside": beside, "bus and A": f"BUS-{k} A{k}"}
            rows += [(flop, f"MULT-{k}", words[takes])] if takes else []
        if step.add:
            unit = "ADDER" if step.add == "+" else "SUBTRACTOR"
            rows.append((flop, unit, "BUS-1 BUS-2"))
    return rows


@pytest.mark.parametrize("operation", PRINTED)
def test_the_table_is_the_printed_one(operation):
    assert sorted(printed(operation)) == sorted(PRINTED[operation])


def test_a_dot_product_is_a_row_of_a_matrix_product():
    assert TABLE_VII_1["VD"] is TABLE_VII_1["MV"]


@pytest.mark.parametrize("operation", TABLE_VII_1)
def test_instructions_are_words_of_fifteen_bits(operation):
    steps = TABLE_VII_1[operation].instructions
    for last in (False, True):
        for step in steps:
            word = step.encoded(last=last)
            assert 0 < word < 2**15
            assert Instruction.decoded(word) == (step, last)


def test_every_word_is_one_driver_for_each_bus_or_no_instruction():
    # a bus has a selector, so no word can let two sources drive it
    sound = 0
    for word in range(2**15):
        try:
            instruction, last = Instruction.decoded(word)
        except InvalidInput:
            continue
        sound += 1
        assert instruction.encoded(last=last) == word
        assert instruction.multiplications <= 2 and instruction.additions <= 1
    drivers = len(SOURCES) + 1
    assert 0 < sound < 2 * drivers**2 * (len(FACTORS) + 1) ** 2 * (len(SUMS) + 1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"x1": "A.own", "add": "+"}, "bus 2 is read"),
        ({"m1": "bus and A"}, "bus 1 is read"),
        ({"x2": "B.own", "m2": "buses"}, "bus 1 is read"),
        ({"x1": "C.own"}, "bus 1 of a module takes 'C.own'"),
        ({"m2": "thin air"}, "multiplier 2"),
        ({"x1": "M1", "x2": "M2", "add": "/"}, "the adder"),
    ],
)
def test_what_no_module_can_do(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        Instruction(**wrong)

"""When operations begin: as soon as operands are there, or as soon as rules allow."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.chip.samples import random_program, relay
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.timetable import flops, timetable

PROGRAM = random_program(np.random.default_rng(5))


def reads(program):
    for number, operation in enumerate(program.operations):
        for source in operation.sources:
            if not source.from_host:
                yield source.place, number


def test_the_source_s_times():
    assert [flops(kind) for kind in ("VA", "SV", "VC", "VD", "MV")] == [1, 1, 2, 3, 3]


@pytest.mark.parametrize("transfer", [0, 2])
def test_operations_begin_when_the_last_operand_is_there(transfer):
    times = timetable(PROGRAM, 4, transfer=transfer)
    for number, operation in enumerate(PROGRAM.operations):
        there = [times.finishes[s] + transfer for s, reader in reads(PROGRAM) if reader == number]
        assert times.starts[number] == max(there, default=0)
        assert times.finishes[number] == times.starts[number] + flops(operation.kind)


@pytest.mark.parametrize("cycle", [3, 4, 7])
def test_without_overlap_work_ends_in_the_cycle_in_which_it_began(cycle):
    times = timetable(PROGRAM, cycle, overlap=False)
    pairs = list(zip(times.starts, times.finishes, strict=True))
    assert all(start // cycle == (finish - 1) // cycle for start, finish in pairs)
    assert all(times.finishes[s] <= times.starts[reader] for s, reader in reads(PROGRAM))
    assert max(times.finishes) >= max(timetable(PROGRAM, cycle).finishes)


def test_a_bus_brings_results_in_its_own_flop():
    program = relay(3)
    slots = {(0, 1, "A"): 0, (1, 2, "A"): 3}
    times = timetable(program, 4, slots=slots)
    assert times.arrivals == {(0, 1, "A"): 4, (1, 2, "A"): 7}
    assert times.starts == (0, 4, 7)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cycle": 2}, "is a (MV|VD) and takes 3"),
        ({"cycle": 0}, "a cycle of 0 Flops"),
        ({"cycle": 128}, "expected 3 to 127"),
        ({"cycle": 4, "transfer": -1}, "transfers of -1 Flops"),
    ],
)
def test_times_that_cannot_be(options, said):
    with pytest.raises(InvalidInput, match=said):
        timetable(PROGRAM, **options)

"""Chips in a row: near those they talk to."""

from __future__ import annotations

import numpy as np

from hardware.chip.samples import random_program, relay
from phalanx.hardware.chip import VectorProgram, VectorWriter
from phalanx.hardware.chip.placement import length, placed


def test_a_relay_stands_in_line():
    program = relay(50)
    positions = placed(program)
    assert length(program, positions) == 49  # nobody stands between neighbours


def test_every_chip_has_a_place_of_its_own_and_ways_get_shorter():
    for seed in range(4):
        program = random_program(np.random.default_rng(seed), count=60)
        positions = placed(program)
        assert sorted(positions) == list(range(len(program)))
        by_chance = np.random.default_rng(seed).permutation(len(program)).tolist()
        assert length(program, positions) < length(program, by_chance)


def test_programs_that_share_nothing_stand_apart():
    writer = VectorWriter("two relays and a hermit")
    ends = []
    for name in "ab":
        x, y = writer.given(f"x{name}"), writer.given(f"y{name}")
        for k in range(8):
            x = writer.apply("VA", x, y, f"{name}{k}")
        ends.append(x)
    ends.append(writer.apply("VA", writer.given("p"), writer.given("q"), "hermit"))
    for k, end in enumerate(ends):
        writer.result(f"out{k}", end)
    program = writer.program()
    assert length(program, placed(program)) == 7 + 7


def test_nothing_to_place():
    assert placed(VectorProgram("empty", (), (), ())) == ()

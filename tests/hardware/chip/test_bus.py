"""The mostly-local bus: shape, routings without conflict, and what load does."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from hardware.chip.samples import random_program, random_values, relay
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import (
    Double,
    MostlyLocalBus,
    VectorProgram,
    VectorWriter,
    compile_program,
    route,
    run_on_chips,
)


def test_segments_double_every_second_tier_and_odd_tiers_are_moved():
    bus = MostlyLocalBus(100, shortest=4)
    assert bus.spans == (4, 4, 8, 8, 16, 16, 32, 32, 64, 64, 128)
    for tier, span in enumerate(bus.spans):
        borders = [x for x in range(1, 100) if bus.segment(tier, x) != bus.segment(tier, x - 1)]
        moved = span // 2 if tier % 2 else 0
        assert borders == [x for x in range(1, 100) if (x + moved) % span == 0]
        assert bus.segments(tier) == len(borders) + 1


def test_any_two_chips_share_a_segment_and_tiers_grow_with_the_logarithm():
    for chips in (1, 2, 5, 33, 100):
        bus = MostlyLocalBus(chips)
        assert all(bus.shared(x, y) for x in range(chips) for y in range(chips))
        assert len(bus.spans) <= 2 * np.log2(max(chips, 2)) + 1
    # neighbours share a short segment wherever they stand
    assert all(MostlyLocalBus(100).shared(x, x + 1)[0][0] <= 1 for x in range(99))


def check(program: VectorProgram, routing) -> None:
    """A routing is sound: all are served, where both ends stand, one result at a time."""
    driving = defaultdict(set)
    for source, readers in enumerate(program.readers):
        for reader, port in readers:
            key = (source, reader, port)
            tier, segment = routing.buses[key]
            for end in (source, reader):
                assert routing.bus.segment(tier, routing.positions[end]) == segment
            assert 0 <= routing.slots[key] < routing.cycle
            driving[tier, segment, routing.slots[key]].add(source)
    assert all(len(sources) == 1 for sources in driving.values())
    assert len(driving) == routing.transfers
    room = sum(
        used * routing.bus.segments(tier) * routing.cycle for tier, used in enumerate(routing.usage)
    )
    assert room == pytest.approx(routing.transfers)
    assert routing.least <= routing.cycle


@pytest.mark.parametrize("seed", range(5))
def test_routings_are_sound_and_carry_the_numbers(seed):
    rng = np.random.default_rng(seed)
    program = random_program(rng, count=50)
    values = random_values(program, rng, sets=2)
    for bus in (None, MostlyLocalBus(len(program), 2), MostlyLocalBus(len(program) + 9, 8, 2)):
        routing = route(program, bus)
        check(program, routing)
        found = run_on_chips(compile_program(program, routing=routing), Double(), values)
        expected = program.evaluate(values)
        np.testing.assert_allclose(found, expected, atol=1e-14 * max(1.0, np.abs(expected).max()))


def across(messages: int, chips: int = 64) -> tuple[VectorProgram, list[int]]:
    """Operations on the left, each read by one at the far right: all have to share the top tier."""
    writer = VectorWriter(f"{messages} across")
    x = writer.given("x")
    left = [writer.apply("VA", x, x, f"left {k}") for k in range(messages)]
    for k, source in enumerate(left):
        writer.result(f"y{k}", writer.apply("VA", source, x, f"right {k}"))
    return writer.program(), list(range(messages)) + [chips - 1 - k for k in range(messages)]


def test_more_load_lengthens_the_cycle_and_more_lines_shorten_it():
    cycles = []
    for messages in (2, 4, 8, 16):
        program, positions = across(messages)
        routing = route(program, MostlyLocalBus(64, 4), positions, cycle=1)
        check(program, routing)
        # one segment joins the halves: a Flop for each message, and the bound says so
        assert routing.cycle == routing.least == messages
        cycles.append(routing.cycle)
        twice = route(program, MostlyLocalBus(64, 4, lines=2), positions, cycle=1)
        check(program, twice)
        assert twice.cycle == max(1, messages // 2)
    assert cycles == sorted(cycles)


def test_readers_along_a_segment_listen_to_one_transfer():
    writer = VectorWriter("broadcast")
    x = writer.given("x")
    source = writer.apply("VA", x, x, "source")
    for k in range(3):
        writer.result(f"y{k}", writer.apply("VA", source, x, f"reader {k}"))
    routing = route(writer.program(), MostlyLocalBus(4, 4), [0, 1, 2, 3])
    assert routing.transfers == 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: MostlyLocalBus(0), "a bus for 0 chips"),
        (lambda: MostlyLocalBus(4, 1), "segments of 1 chips"),
        (lambda: MostlyLocalBus(4, 4, 0), "0 lines a tier"),
        (lambda: route(relay(5), MostlyLocalBus(4)), "needs 5 chips; the bus has places for 4"),
        (lambda: route(relay(3), positions=[0, 1, 1]), "3 chips at 2 positions"),
        (lambda: route(relay(3), positions=[0, 1, 3]), "from 0 to 2"),
        (
            lambda: route(across(128)[0], MostlyLocalBus(512), across(128, 512)[1]),
            "take one with more",
        ),
    ],
)
def test_what_cannot_be_routed(make, said):
    with pytest.raises(InvalidInput, match=said):
        make()

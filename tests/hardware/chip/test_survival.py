"""Faults in chips at work: what is found, what is survived, and what is not."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.chip.samples import mixing, random_values
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip import (
    ChipProgram,
    Double,
    Fault,
    Host,
    Network,
    compile_program,
    random_faults,
    survive,
    sweep_cycles,
)
from phalanx.hardware.chip.global_reset import RELEASED, ResetEvent
from phalanx.hardware.chip.rolling_check import ChipState, first_states, next_states

RNG = np.random.default_rng(4)
PROGRAM = mixing()
CHIPS = len(PROGRAM)
VALUES = random_values(PROGRAM, RNG, sets=3)
BOARD = compile_program(PROGRAM, spares=1)
SWEEP = sweep_cycles(BOARD)
SPARE = CHIPS + 1  # by number: chips are numbered from 1 by socket, the spare comes last
NEVER_RIGHT = 1e6


def states_at(cycle: int) -> list[ChipState]:
    """Of a chain without faults."""
    states = first_states(CHIPS)
    for _ in range(cycle):
        states = next_states(states, [True] * (CHIPS + 1))
    return states


def test_one_driver_for_each_role_in_every_cycle_of_chips_at_work():
    network = Network(BOARD, Double())
    Host(network).program()
    given = [(1.0, 0.5, 0.25)] * len(PROGRAM.ports)
    for _ in range(RELEASED):
        network.tick(False, given)
    for flop in range(2 * SWEEP * BOARD.cycle):
        event = network.tick(flop % BOARD.cycle == 0, given)
        assert event in (ResetEvent.CYCLE, ResetEvent.FLOP)
        assert network.drivers == [1] * CHIPS
    assert network.excisions == []


@pytest.mark.parametrize("number", range(1, CHIPS + 1))
def test_a_stuck_result_is_found_within_a_sweep_whenever_it_strikes(number):
    for cycle in range(SWEEP):
        fault = Fault(number, "stuck", cycle, 1 + number % 3, NEVER_RIGHT)
        found = survive(BOARD, Double(), VALUES, [fault])
        if states_at(cycle)[number] is ChipState.CHECK:
            # the one blind moment: who breaks while he checks accuses his sound neighbour
            assert found.accused == (number + 1,) and found.found == ()
            assert not found.survived
            continue
        (excision,) = found.excisions
        assert (excision.number, excision.finder) == (number, number - 1 or SPARE)
        assert found.found == (fault,) and found.reported == (number,)
        assert 0 <= found.delay(fault) < SWEEP
        assert found.survived
        # what enters after the excision is right; what entered a pipeline before a fault may not be
        assert all(k <= excision.cycle for k in found.wrong)
        assert found.wrong, "a value that is never right shows"


@pytest.mark.parametrize("number", [1, CHIPS // 2, CHIPS])
def test_a_dead_chip_is_survived_and_found_unless_another_had_its_place(number):
    for cycle in range(SWEEP):
        found = survive(BOARD, Double(), VALUES, [Fault(number, "dead", cycle)])
        assert found.survived
        at_work = states_at(cycle)[number] is ChipState.NORMAL
        assert [e.number for e in found.excisions] == ([number] if at_work else [])


def test_nobody_checks_the_spare():
    found = survive(BOARD, Double(), VALUES, [Fault(SPARE, "dead", 3)])
    assert found.survived and found.excisions == ()
    stuck = survive(BOARD, Double(), VALUES, [Fault(SPARE, "stuck", 3, 1, NEVER_RIGHT)])
    assert not stuck.survived  # it accuses the first chip, and takes its place


def test_a_second_fault_in_a_chain_is_not_survived_but_chains_bear_one_each():
    first, second = (
        Fault(2, "stuck", 1, 1, NEVER_RIGHT),
        Fault(CHIPS - 1, "stuck", 2, 1, NEVER_RIGHT),
    )
    alone = survive(BOARD, Double(), VALUES, [first, second])
    assert len(alone.excisions) == 1 and not alone.survived
    two = compile_program(PROGRAM, spares=2)
    both = survive(two, Double(), VALUES, [first, second])
    assert both.survived and both.reported == (2, CHIPS - 1)
    assert set(both.found) == {first, second}


def test_a_fault_that_changes_nothing_is_not_seen():
    values = np.zeros_like(VALUES)
    found = survive(BOARD, Double(), values, [Fault(3, "stuck", 0, 1, 0.0)])
    assert found.survived and found.wrong == () and found.delay(found.faults[0]) is None


def test_a_fault_that_does_not_show_in_a_chip_s_own_work_accuses_its_neighbour():
    place, component = 2, 1
    right = float(PROGRAM.results(VALUES[:1])[place][0, component - 1])
    fault = Fault(place + 1, "stuck", SWEEP // 2, component, right)
    found = survive(BOARD, Double(), VALUES[:1], [fault])
    assert found.accused == (place + 2,) and found.found == ()
    assert not found.survived
    assert found.reported == ()  # what it says in maintenance mode is as broken as its results


def test_maintenance_names_all_that_were_taken_out():
    board = compile_program(PROGRAM, spares=4)
    faults = [Fault(1 + chain[0], "stuck", 0, 1, NEVER_RIGHT) for chain in board.chains]
    found = survive(board, Double(), VALUES, faults)
    assert found.reported == tuple(sorted(fault.number for fault in faults))
    assert found.survived


def test_an_excised_chip_stays_out_until_chips_are_programmed_anew():
    network = Network(BOARD, Double())
    host = Host(network)
    host.program()
    network.break_later(Fault(4, "stuck", 0, 1, NEVER_RIGHT))
    repeated = np.repeat(VALUES[:1], 2 * SWEEP, axis=0)
    host.run(repeated)
    assert host.faulty_numbers() == [4]
    # maintenance changes nothing: back in data mode all is right from the first set on
    clean = PROGRAM.evaluate(VALUES)
    np.testing.assert_allclose(host.run(VALUES), clean, atol=1e-12 * np.abs(clean).max())
    host.program()
    assert not np.allclose(host.run(VALUES), clean)


def test_a_dead_chip_hands_no_program_on():
    board = compile_program(PROGRAM)
    network = Network(board, Double())
    host = Host(network)
    host.program()
    network.break_later(Fault(1, "dead", 0))
    host.run(VALUES)
    for chip in network.chips:
        chip.program = ChipProgram(9, 9, 9, 9)
    host.program()
    reached = [
        chip.program == duty.program for chip, duty in zip(network.chips, board.duties, strict=True)
    ]
    # the first is dead itself; over it and each other hear "across", "moved" and "woven"
    assert reached == [duty.role in ("again", "both", "square", "last") for duty in board.duties]


def test_faults_by_chance_are_in_chains_of_their_own():
    groups = [[1, 2, 3], [4, 5], [6]]
    for seed in range(20):
        faults = random_faults(groups, 2, 9, np.random.default_rng(seed))
        homes = [next(k for k, group in enumerate(groups) if f.number in group) for f in faults]
        assert len(set(homes)) == 2 and all(0 <= fault.cycle < 9 for fault in faults)
    with pytest.raises(InvalidInput, match="4 faults in 3 chains"):
        random_faults(groups, 4, 9, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "tired"}, "a fault 'tired'; expected one of stuck, dead"),
        ({"kind": "stuck", "component": 4}, "component 4"),
        ({"kind": "dead", "cycle": -1}, "from cycle -1"),
    ],
)
def test_faults_that_cannot_be(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        Fault(1, **wrong)

"""Every ready-made computer can be had by name, with any number of processors."""

from __future__ import annotations

import pytest

from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.multiprocessor.computers.catalogue import COMPUTERS, computer_by_name


@pytest.mark.parametrize("name", COMPUTERS)
@pytest.mark.parametrize("processors", [1, 2, 6, 7])
def test_every_computer_has_a_name(name, processors):
    assert computer_by_name(name, processors).processors == processors


def test_names_are_of_the_ready_made_ones():
    assert computer_by_name("8086", 3) == mp.intel_8086(3)
    assert computer_by_name("vector-lanes", 4) == mp.vector_lanes(4)
    assert computer_by_name("transputer-mesh", 6) == mp.transputer_mesh(2, 3)


def test_meshes_are_as_square_as_they_can_be():
    wires = {p: len(computer_by_name("transputer-mesh", p).topology.links) for p in (4, 6, 7, 12)}
    assert wires == {4: 4, 6: 7, 7: 6, 12: 17}


def test_this_machine_is_measured_once():
    two, many = computer_by_name("this-machine", 2), computer_by_name("this-machine", 64)
    assert (two.speed, two.synchronization) == (many.speed, many.synchronization)


def test_the_time_to_agree_can_be_set():
    assert computer_by_name("multicore", 2, 1e-6).synchronization == 1e-6
    assert computer_by_name("vector-lanes", 2, 0.5).shuffle == 0.5
    with pytest.raises(InvalidInput, match="transputer mesh sends messages over wires"):
        computer_by_name("transputer-mesh", 2, 1e-6)


def test_mistakes():
    with pytest.raises(UnknownName, match="Did you mean 'multicore'"):
        computer_by_name("multicores", 2)
    for processors in (0, -3):
        with pytest.raises(InvalidInput, match="there must be at least one"):
            computer_by_name("transputer-mesh", processors)

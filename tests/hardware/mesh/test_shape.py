"""Nodes, ports and links of the mesh."""

import pytest

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.json_fields import Fields
from phalanx.hardware.mesh import T800, Shape, mesh_computer
from phalanx.hardware.mesh.costs import costs_by_name
from phalanx.multiprocessor.computers.computer_file import computer_from_data, computer_to_data


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_as_many_nodes_and_ports_as_the_source_says(n):
    shape = Shape(n)
    assert len(shape.nodes) == n * (n + 1) // 2 + n + 1
    ends = [end for link in shape.links for end in link]
    assert len(set(ends)) == len(ends)  # a port has one link
    assert {port for _, port in ends} <= {"north", "south", "east", "west"}


def test_row_0_is_a_last_column_and_a_ring():
    shape = Shape(4)
    assert shape.out_of((1, 4), "east")[1] == (0, 4)
    assert shape.out_of((4, 4), "east")[1] == (0, 1)
    assert shape.out_of((0, 0), "west")[1] == (0, 4)
    node, seen = (0, 0), []
    for _ in range(5):
        node = shape.out_of(node, "east")[1]
        seen.append(node)
    assert seen == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 0)]


def test_both_directions_of_a_link_are_wires_of_their_own():
    shape = Shape(3)
    there, back = shape.between((1, 1), (1, 2)), shape.between((1, 2), (1, 1))
    assert there != back
    topology, number = shape.topology, shape.numbers
    assert topology.onward(there, number[1, 1]) == (number[1, 2],)
    assert topology.onward(there, number[1, 2]) == ()


def test_a_link_that_is_not_declared_names_both_nodes():
    with pytest.raises(InvalidInput, match=r"between nodes \(1,1\) and \(3,3\); \(1,1\) is joined"):
        Shape(3).between((1, 1), (3, 3))
    with pytest.raises(InvalidInput, match=r"nothing is joined to the west of node \(2,2\)"):
        Shape(3).out_of((2, 2), "west")
    with pytest.raises(InvalidInput, match=r"it has no node \(4,4\)"):
        Shape(3).between((4, 4), (1, 1))
    with pytest.raises(InvalidInput, match="row 1 of a mesh of 3 columns has no bus"):
        Shape(3).bus(1)
    with pytest.raises(InvalidInput, match="a mesh of 0 columns"):
        Shape(0)


def test_the_computer_is_data():
    computer = mesh_computer(Shape(3, buses=True), T800)
    assert computer.processor_name(0) == "(0,0)"
    assert computer.hop_time(3) == pytest.approx(12e-6)
    assert computer_from_data(Fields(computer_to_data(computer), "a file")) == computer
    with pytest.raises(UnknownName, match="'t900'"):
        costs_by_name("t900")

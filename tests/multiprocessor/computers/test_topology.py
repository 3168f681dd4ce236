from __future__ import annotations

from collections import deque

import pytest

from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor import Topology

ALL = [
    Topology.line(5),
    Topology.ring(6),
    Topology.ring(7),
    Topology.star(5),
    Topology.complete(5),
    Topology.bus(5),
    Topology.mesh(3, 4),
    Topology.hypercube(4),
    Topology.line(1),
]


def distances(topology: Topology, start: int) -> dict[int, int]:
    """By breadth-first search, one wire at a time."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for link in topology.links:
            for other in link:
                if here in link and other not in found:
                    found[other] = found[here] + 1
                    queue.append(other)
    return found


@pytest.mark.parametrize("topology", ALL, ids=lambda t: f"{t.name}-{t.processors}")
def test_routes_are_shortest_lead_there_and_are_as_long_back(topology):
    for a in range(topology.processors):
        distance = distances(topology, a)
        for b in range(topology.processors):
            route = topology.routes[a, b]
            assert len(route) == distance[b] == len(topology.routes[b, a])
            here = {a}
            for number in route:
                link = set(topology.links[number])
                assert here & link
                here = link
            assert b in here


def test_a_hypercube_has_hamming_distance():
    cube = Topology.hypercube(4)
    assert len(cube.links) == 32
    for a in range(16):
        for b in range(16):
            assert len(cube.routes[a, b]) == (a ^ b).bit_count()


def test_a_mesh_has_manhattan_distance():
    rectangle = Topology.mesh(3, 4)
    assert len(rectangle.links) == 3 * 3 + 2 * 4
    for a in range(12):
        for b in range(12):
            apart = abs(a // 4 - b // 4) + abs(a % 4 - b % 4)
            assert len(rectangle.routes[a, b]) == apart


def test_wires():
    assert len(Topology.complete(6).links) == 15
    assert len(Topology.ring(6).links) == 6
    assert len(Topology.ring(2).links) == 1
    assert Topology.bus(4).links == ((0, 1, 2, 3),)
    assert Topology.star(4).routes[1, 3] == (0, 2)


@pytest.mark.parametrize(
    "make", [Topology.line, Topology.ring, Topology.star, Topology.complete, Topology.bus]
)
def test_there_is_at_least_one_processor(make):
    assert make(1).routes == {(0, 0): ()}
    with pytest.raises(InvalidInput, match="0 processors"):
        make(0)


def test_shapes_that_do_not_exist():
    with pytest.raises(InvalidInput, match="0 rows and 3 columns"):
        Topology.mesh(0, 3)
    with pytest.raises(InvalidInput, match="-1 dimensions"):
        Topology.hypercube(-1)


def test_long_routes_count_by_their_links(monkeypatch):
    """Those of a line of 1000 have 333 links on average, 8 bytes each; those of a star 2."""
    monkeypatch.setattr("phalanx.base.memory.available_memory", lambda: 10**9)
    assert Topology.star(1000).processors == 1000
    with pytest.raises(InvalidInput, match="routes between the 1,000 processors of a line need"):
        Topology.line(1000)


def test_wires_must_join_processors_and_reach_all():
    with pytest.raises(InvalidInput, match="no wire of 'split' leads to processor 2"):
        Topology("split", 4, ((0, 1), (2, 3)))
    with pytest.raises(InvalidInput, match=r"link \(0, 5\) of 'far'"):
        Topology("far", 2, ((0, 5),))
    with pytest.raises(InvalidInput, match=r"link \(1,\) of 'loose'"):
        Topology("loose", 2, ((0, 1), (1,)))

"""Network topology: links between processors, and routing of messages.

A topology is the number of processors and its links. A link is one wire for both directions; a bus
is one link that all share. Where wires lead one way, a link of two leads from the first to the
second, so that both directions at a time are two links. Messages take a path with the fewest links,
the lowest numbers first, unless a plan says otherwise.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from phalanx.base.arguments import whole
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, ReadError
from phalanx.base.json_fields import Fields
from phalanx.base.memory import check_memory
from phalanx.base.short_repr import short_repr

LINK = 8.0  # [bytes] of a link in a route
ROUTE = 200.0  # [bytes] of a route between two processors, of which every pair has one
MOST_DIMENSIONS = 62
LARGEST_COUNT = 2**MOST_DIMENSIONS


@short_repr
@dataclass(frozen=True)
class Topology:
    """Processors and the wires between them.

    Attributes:
        name: Display name.
        processors: How many there are.
        links: The processors each wire joins; two, or more for a bus.
        one_way: Whether a wire between two leads from the first to the second alone.
        names: Display names of the processors; none for their numbers.
    """

    name: str
    processors: int
    links: tuple[tuple[int, ...], ...]
    one_way: bool = False
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that every processor exists and can be reached."""
        check_count(self.name, self.processors)
        if self.names and len(set(self.names)) != self.processors:
            raise InvalidInput(
                f"{len(set(self.names))} different names for the {self.processors} processors of "
                f"'{self.name}'; give one to each, or none."
            )
        for link in self.links:
            if len(link) < 2 or any(not 0 <= p < self.processors for p in link):
                raise InvalidInput(
                    f"link {link} of '{self.name}' must join two or more of its processors "
                    f"0 to {self.processors - 1}."
                )
        ways = self._ways(0, self._neighbours())
        unreached = [p for p in range(self.processors) if p not in ways]
        if unreached:
            raise InvalidInput(f"no wire of '{self.name}' leads to processor {unreached[0]}.")
        check_routes(self.name, self.processors, sum(map(len, ways.values())) / len(ways))

    @staticmethod
    def complete(processors: int) -> Topology:
        """A wire between every two processors."""
        processors = check_count("complete network", processors)
        return Topology("complete network", processors, tuple(combinations(range(processors), 2)))

    @staticmethod
    def bus(processors: int) -> Topology:
        """One wire for all."""
        processors = check_count("bus", processors)
        links = (tuple(range(processors)),) if processors > 1 else ()
        return Topology("bus", processors, links)

    @staticmethod
    def line(processors: int) -> Topology:
        """A linear array: each processor is wired to the next."""
        processors = check_count("line", processors)
        return Topology("line", processors, tuple((p, p + 1) for p in range(processors - 1)))

    @staticmethod
    def ring(processors: int) -> Topology:
        """A linear array whose ends are joined."""
        processors = check_count("ring", processors)
        closing = ((processors - 1, 0),) if processors > 2 else ()
        return Topology("ring", processors, Topology.line(processors).links + closing)

    @staticmethod
    def star(processors: int) -> Topology:
        """Processor 0 is wired to all others."""
        processors = check_count("star", processors)
        return Topology("star", processors, tuple((0, p) for p in range(1, processors)))

    @staticmethod
    def mesh(rows: int, columns: int) -> Topology:
        """A rectangle; each processor is wired to its neighbours above, below and beside it."""
        for name, count in (("rows", rows), ("columns", columns)):
            whole(name, count, -LARGEST_COUNT, "a whole number")
        if rows < 1 or columns < 1:
            raise InvalidInput(
                f"a mesh of {rows} rows and {columns} columns; both must be positive."
            )
        rows, columns = int(rows), int(columns)
        check_count("mesh", min(rows * columns, LARGEST_COUNT))
        place = [[row * columns + column for column in range(columns)] for row in range(rows)]
        across = [(here, there) for row in place for here, there in _neighbours(row)]
        down = [
            (here, there)
            for column in zip(*place, strict=True)
            for here, there in _neighbours(column)
        ]
        return Topology("mesh", rows * columns, tuple(across + down))

    @staticmethod
    def hypercube(dimensions: int) -> Topology:
        """2**dimensions processors; two are wired when their numbers differ in one bit."""
        dimensions = whole("dimensions", dimensions, -LARGEST_COUNT, "a whole number")
        if dimensions < 0:
            raise InvalidInput(f"a hypercube of {dimensions} dimensions; it cannot be negative.")
        dimensions = min(dimensions, MOST_DIMENSIONS)
        count = check_count("hypercube", 2**dimensions)
        links = tuple(
            (p, p | 1 << d) for p in range(count) for d in range(dimensions) if not p >> d & 1
        )
        return Topology("hypercube", count, links)

    def to_data(self) -> dict[str, Any]:
        """The wires as JSON values."""
        return {"name": self.name, "links": [list(link) for link in self.links]} | (
            ({"one_way": True} if self.one_way else {})
            | ({"names": list(self.names)} if self.names else {})
        )

    @staticmethod
    def from_data(processors: int, data: Fields) -> Topology:
        """The wires of a file; ReadError when a link is no list of processors."""
        links = []
        for number, link in enumerate(data.items("links"), start=1):
            if not isinstance(link, list) or not all(type(p) is int for p in link):
                raise ReadError(
                    f"{data.place}: link {number} is {link!r}; expected a list of processors."
                )
            links.append(tuple(link))
        names = (
            tuple(str(name) for name in data.items("names")) if not data.is_null("names") else ()
        )
        return Topology(data.text("name"), processors, tuple(links), data.flag("one_way"), names)

    def onward(self, link: int, processor: int) -> tuple[int, ...]:
        """The processors to which a wire leads from one; none from one that is not on it."""
        joined = self.links[link]
        if processor not in joined or (
            self.one_way and len(joined) == 2 and processor != joined[0]
        ):
            return ()
        return tuple(other for other in joined if other != processor)

    @cached_property
    def routes(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """Numbers of the links from one processor to another, for every pair."""
        neighbours = self._neighbours()
        routes: dict[tuple[int, int], tuple[int, ...]] = {}
        for start in range(self.processors):
            ways = self._ways(start, neighbours)
            routes |= {(start, end): path for end, path in ways.items()}
        return routes

    def _neighbours(self) -> list[list[tuple[int, int]]]:
        """For each processor those it can send to, and by which link, in order."""
        neighbours: list[list[tuple[int, int]]] = [[] for _ in range(self.processors)]
        for number, link in enumerate(self.links):
            for p in link:
                neighbours[p] += [(other, number) for other in self.onward(number, p)]
        return [sorted(those) for those in neighbours]

    @staticmethod
    def _ways(start: int, neighbours: list[list[tuple[int, int]]]) -> dict[int, tuple[int, ...]]:
        """Numbers of the links from one processor to each that it reaches."""
        ways: dict[int, tuple[int, ...]] = {start: ()}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for other, number in neighbours[here]:
                if other not in ways:
                    ways[other] = (*ways[here], number)
                    queue.append(other)
        return ways


def check_count(name: str, processors: int) -> int:
    """Return the number of processors of a network.

    Raises:
        InvalidInput: It is no whole number above zero, or their routes do not fit into memory.
    """
    count = whole("processors", processors, -LARGEST_COUNT, "a whole number")
    if count < 1:
        raise InvalidInput(f"a {name} of {count} processors; there must be at least one.")
    check_routes(name, count, 0.0)
    return count


def check_routes(name: str, count: int, length: float) -> None:
    """Raise InvalidInput where routes of so many links do not fit into memory."""
    check_memory(
        f"the routes between the {count:,} processors of a {name}",
        (ROUTE + LINK * length) * count**2,
        "Take fewer processors.",
    )


def _neighbours(line: Sequence[int]) -> list[tuple[int, int]]:
    return list(pairwise(line))

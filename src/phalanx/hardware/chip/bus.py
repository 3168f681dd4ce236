"""The mostly-local bus: tiers of segments, short ones for neighbours, few long ones for the rest.

Chips stand in a row. Tier 0 and 1 have the shortest segments, and lengths double every second tier;
segments of odd tiers are moved by half a length, so that neighbours whom one tier parts share a
segment of the other. The last tier has one segment, along all chips, so any two chips share one and
nothing is relayed. In a Flop a segment carries one result, which all chips along it can read.

A routing says which result a segment carries in which Flop of the cycle. Where there is no room,
the cycle gets longer: more Flops are more room, so every program fits at some length.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from phalanx.base.arguments import check_fields, checked
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.placement import placed
from phalanx.hardware.chip.timetable import flops
from phalanx.hardware.chip.vamp import DELAYS
from phalanx.hardware.chip.vector_program import VectorProgram

Key = tuple[int, int, str]  # source, reader, port
Bus = tuple[int, int]  # tier, segment


@dataclass(frozen=True)
class MostlyLocalBus:
    """Segments over a row of chips.

    Attributes:
        chips: How many there are.
        shortest: Chips along a segment of the first two tiers.
        lines: Buses side by side in each tier: more of them is more room at every distance.
    """

    chips: int
    shortest: int = 4
    lines: int = 1

    def __post_init__(self) -> None:
        check_fields(self)
        if self.chips < 1 or self.shortest < 2 or self.lines < 1:
            raise InvalidInput(
                f"a bus for {self.chips} chips with segments of {self.shortest} chips or more and "
                f"{self.lines} lines a tier; expected 1 chip, segments of 2, 1 line, or more."
            )

    @cached_property
    def spans(self) -> tuple[int, ...]:
        """Chips along a segment, by tier; tiers with several lines are there as often."""
        spans = []
        span = self.shortest
        while span < self.chips:
            spans += [span] * (2 * self.lines)
            span *= 2
        return tuple(spans + [span] * self.lines)

    def segment(self, tier: int, position: int) -> int:
        """Which segment of a tier a chip is at."""
        span = self.spans[tier]
        moved = span // 2 if self.is_moved(tier) else 0
        return (position + moved) // span

    def is_moved(self, tier: int) -> bool:
        """Whether segments of a tier are moved by half a length."""
        pairs = len(self.spans) - self.lines
        return tier < pairs and tier // self.lines % 2 == 1

    def shared(self, first: int, last: int) -> list[Bus]:
        """Segments along which both of two chips stand, short ones first."""
        return [
            (tier, self.segment(tier, first))
            for tier in range(len(self.spans))
            if self.segment(tier, first) == self.segment(tier, last)
        ]

    def segments(self, tier: int) -> int:
        """How many segments a tier has."""
        return self.segment(tier, self.chips - 1) + 1


@dataclass(frozen=True)
class Routing:
    """Which result is where in each Flop.

    Attributes:
        bus: The segments.
        positions: Where in the row the chip of each operation stands.
        cycle: Its length in Flops.
        slots: Flop of the cycle in which a result gets to a reader, by (source, reader, port).
        buses: On which segment, by the same.
        least: No routing between these positions has a shorter cycle.
    """

    bus: MostlyLocalBus
    positions: tuple[int, ...]
    cycle: int
    slots: Mapping[Key, int]
    buses: Mapping[Key, Bus]
    least: int
    _taken: Mapping[tuple[int, int, int], int] = field(repr=False)

    @property
    def usage(self) -> tuple[float, ...]:
        """Share of each tier's room, segments times Flops, that carries something."""
        used = [0] * len(self.bus.spans)
        for tier, _, _ in self._taken:
            used[tier] += 1
        return tuple(
            count / (self.bus.segments(tier) * self.cycle) for tier, count in enumerate(used)
        )

    @property
    def transfers(self) -> int:
        """How often a segment carries something in a cycle; readers along it share one."""
        return len(self._taken)


@checked
def route(
    program: VectorProgram,
    bus: MostlyLocalBus | None = None,
    positions: Sequence[int] | None = None,
    *,
    cycle: int = 4,
) -> Routing:
    """Segments and Flops for all results of a program, with the shortest cycle that is found.

    Args:
        program: Whose results travel from chip to chip.
        bus: The segments; some that are long enough when not given.
        positions: Where in the row the chip of each operation stands; near those whose results it
            reads when not given (see :mod:`phalanx.hardware.chip.placement`).
        cycle: Where to begin: no shorter one is looked for.

    Raises:
        InvalidInput: The bus has too few places, or two chips have one place, or not even the
            longest cycle that chips can count has room.
    """
    bus = MostlyLocalBus(max(1, len(program))) if bus is None else bus
    if len(program) > bus.chips:
        raise InvalidInput(
            f"'{program.name}' needs {len(program)} chips; the bus has places for {bus.chips}."
        )
    if positions is None:
        near = placed(program)
        mirrored = tuple(len(program) - 1 - x for x in near)
        both = [_routed(program, bus, where, cycle) for where in (near, mirrored)]
        return min(both, key=lambda routing: routing.cycle)
    where = tuple(positions)
    if len(set(where)) != len(program) or not all(0 <= x < bus.chips for x in where):
        raise InvalidInput(
            f"{len(program)} chips at {len(set(where))} positions; every chip needs one of its own "
            f"from 0 to {bus.chips - 1}."
        )
    return _routed(program, bus, where, cycle)


def _routed(
    program: VectorProgram, bus: MostlyLocalBus, where: tuple[int, ...], cycle: int
) -> Routing:
    """The shortest cycle that is found for chips at given positions."""
    keys = [
        (source, reader, port)
        for source, readers in enumerate(program.readers)
        for reader, port in readers
    ]
    work = max((flops(operation.kind) for operation in program.operations), default=1)
    least = max(work, _crossing(keys, where, bus))
    for length in range(max(cycle, least), DELAYS):
        found = _fit(keys, where, bus, length)
        if found is not None:
            slots, buses, taken = found
            return Routing(bus, where, length, slots, buses, least, taken)
    raise InvalidInput(
        f"'{program.name}' has {len(keys)} messages, for which a cycle of {DELAYS - 1} Flops, the "
        "longest that chips count, has no room on this bus; take one with more lines."
    )


def _crossing(keys: Iterable[Key], where: Sequence[int], bus: MostlyLocalBus) -> int:
    """Flops that the busiest gap between neighbours needs, whatever the routing.

    A result that crosses a gap to a reader with whom it shares no segment below some tier has to
    take a segment of that tier or above, across that gap.
    """
    tiers = len(bus.spans)
    reach: list[dict[int, tuple[int, int]]] = [{} for _ in range(tiers)]  # by tier, of each source
    for source, reader, _ in keys:
        low, high = sorted((where[source], where[reader]))
        for tier in range(bus.shared(low, high)[0][0] + 1):
            first, last = reach[tier].get(source, (low, high))
            reach[tier][source] = (min(first, low), max(last, high))
    across = [[tier for tier, _ in bus.shared(gap, gap + 1)] for gap in range(bus.chips - 1)]
    busiest = 1
    for tier in range(tiers):
        change = [0] * (bus.chips + 1)
        for first, last in reach[tier].values():
            change[first] += 1
            change[last] -= 1
        crossing = 0
        for gap, there in enumerate(across):
            crossing += change[gap]
            room = sum(other >= tier for other in there)
            busiest = max(busiest, -(-crossing // room))
    return busiest


def _fit(
    keys: Iterable[Key], where: Sequence[int], bus: MostlyLocalBus, cycle: int
) -> tuple[dict[Key, int], dict[Key, Bus], dict[tuple[int, int, int], int]] | None:
    """A place for every message in a cycle of some length, short segments first; None if none.

    Far readers come first, since they have the least choice, and a nearer reader of the same result
    listens in where it can.
    """
    taken: dict[tuple[int, int, int], int] = {}
    carried: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    slots: dict[Key, int] = {}
    buses: dict[Key, Bus] = {}
    far_first = sorted(keys, key=lambda key: -abs(where[key[0]] - where[key[1]]))
    for key in far_first:
        source, reader, _ = key
        shared = bus.shared(where[source], where[reader])
        heard = next((place for place in carried[source] if place[:2] in shared), None)
        place = heard or next(
            (
                (tier, segment, slot)
                for tier, segment in shared
                for slot in range(cycle)
                if (tier, segment, slot) not in taken
            ),
            None,
        )
        if place is None:
            return None
        if heard is None:
            taken[place] = source
            carried[source].append(place)
        buses[key], slots[key] = place[:2], place[2]
    return slots, buses, taken

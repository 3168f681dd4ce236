"""Compile a straight-line program to a board: timetable, wiring, chip programs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.board import Board, Duty, OperandWire
from phalanx.hardware.chip.bus import Routing
from phalanx.hardware.chip.serial import SerialPorts
from phalanx.hardware.chip.timetable import Timetable, least_cycle, timetable
from phalanx.hardware.chip.vamp import ChipProgram
from phalanx.hardware.chip.vector_program import Operand, Source, VectorProgram

BASIC_CYCLE = 4  # Flops: a matrix times a vector, and a sum


@checked
def compile_program(
    program: VectorProgram,
    *,
    cycle: int | None = None,
    period: int | None = 1,
    spares: int = 0,
    transfer: int = 0,
    ports: SerialPorts | None = None,
    routing: Routing | None = None,
) -> Board:
    """A board that runs a program.

    Args:
        program: What is computed.
        cycle: Flops in which a chip does its work once; that of the routing, the source's 4, or
            what serial ports need, when not given.
        period: Cycles from one sample to the next. With 1 every operation has a chip of its own;
            with more, operations that are alike share chips; None is one sample at a time.
        spares: Chains in which chips check each other, a spare each. With any, work ends in the
            cycle in which it began, as chips change places between cycles.
        transfer: Flops that a result needs to the chips that read it.
        ports: Over which vectors are shifted; they are there at once when not given.
        routing: How results travel on shared buses; wires of their own when not given.

    Raises:
        InvalidInput: A cycle or period that does not fit, more chains than chips, or a bus whose
            chips have serial ports.
    """
    if ports is not None and routing is not None:
        raise InvalidInput("a bus carries vectors at once; leave out the serial ports, or the bus.")
    if cycle is None:
        shifting = 0 if ports is None else least_cycle(program, ports)
        cycle = max(BASIC_CYCLE, shifting) if routing is None else routing.cycle
    if routing is not None and cycle != routing.cycle:
        raise InvalidInput(f"a cycle of {cycle} Flops; the routing is for {routing.cycle}.")
    times = timetable(
        program,
        cycle,
        overlap=not spares,
        transfer=transfer,
        ports=ports,
        slots=None if routing is None else routing.slots,
    )
    if period is None:
        period = max(1, -(-max(times.finishes, default=1) // cycle))
    if period < 1:
        raise InvalidInput(f"a new set every {period} cycles; expected 1 or more.")
    if period > 1 and routing is not None:
        raise InvalidInput("chips with several duties need wires of their own; leave out the bus.")
    duties = tuple(_duty(program, number, times, routing) for number in range(len(program)))
    sockets = shared(duties, cycle, period)
    if not 0 <= spares <= len(sockets):
        raise InvalidInput(f"{spares} chains of {len(sockets)} chips; expected one chip or more.")
    return Board(program, cycle, duties, sockets, period, _chains(len(sockets), spares), ports)


def shared(duties: Sequence[Duty], cycle: int, period: int) -> tuple[tuple[int, ...], ...]:
    """Duties for as few chips as can be, by socket.

    A chip keeps its program, so its duties are of one kind and begin in the same Flop of the cycle.
    Each has a cycle of the period for itself.
    """
    chips: dict[ChipProgram, list[dict[int, int]]] = {}
    for number, duty in sorted(enumerate(duties), key=lambda pair: pair[1].start):
        turn = duty.start // cycle % period
        alike = chips.setdefault(duty.program, [])
        free = next((turns for turns in alike if turn not in turns), None)
        if free is None:
            free = {}
            alike.append(free)
        free[turn] = number
    found = (tuple(turns.values()) for alike in chips.values() for turns in alike)
    return tuple(sorted(found))  # in the program's order, so that neighbours stay neighbours


def _duty(program: VectorProgram, number: int, times: Timetable, routing: Routing | None) -> Duty:
    operation = program.operations[number]
    start, finish = times.starts[number], times.finishes[number]

    def wire(source: Source, port: str) -> OperandWire:
        if source.from_host:
            return OperandWire(source, start // times.cycle)
        if routing is None:
            # on its way or waiting, it is overtaken by a newer one every cycle
            return OperandWire(source, (start - times.finishes[source.place]) // times.cycle)
        key = (source.place, number, port)
        waited = start - times.arrivals[key]
        return OperandWire(source, waited // times.cycle, routing.slots[key], routing.buses[key])

    def wires(operand: Operand, port: str) -> tuple[OperandWire, ...]:
        return tuple(wire(source, port) for source in operand.sources)

    dump = (finish - 1) % times.cycle + 1
    return Duty(
        operation.name,
        wires(operation.a, "A"),
        wires(operation.b, "B")[0],
        ChipProgram.of(operation.kind, operation.a.shape, start % times.cycle, dump),
        start,
        finish,
    )


def _chains(chips: int, spares: int) -> tuple[tuple[int, ...], ...]:
    """Neighbouring sockets in chains of about the same length."""
    bounds = [k * chips // spares for k in range(spares + 1)] if spares else []
    return tuple(tuple(range(first, last)) for first, last in itertools.pairwise(bounds))

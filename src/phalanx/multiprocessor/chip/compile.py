"""From a straight-line program to a board: timed, wired, and a program for every chip."""

from __future__ import annotations

import itertools

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.chip.board import Board, Socket, Wire
from phalanx.multiprocessor.chip.bus import Routing
from phalanx.multiprocessor.chip.timetable import Timetable, timetable
from phalanx.multiprocessor.chip.vamp import Program
from phalanx.multiprocessor.chip.vector_program import Operand, Source, VectorProgram

BASIC_CYCLE = 4  # Flops: a matrix times a vector, and a sum


def compile_program(
    program: VectorProgram,
    *,
    cycle: int | None = None,
    spares: int = 0,
    transfer: int = 0,
    routing: Routing | None = None,
) -> Board:
    """A board that runs a program, a new set every cycle.

    Args:
        program: What is computed.
        cycle: Flops from one set to the next; that of the routing, or else the source's 4, when
            not given.
        spares: Chains in which chips check each other, a spare each. With any, work ends in the
            cycle in which it began, as chips change places between cycles.
        transfer: Flops that a result needs to the chips that read it.
        routing: How results travel on shared buses; wires of their own when not given.

    Raises:
        InvalidInput: A cycle that does not fit, or more chains than chips.
    """
    if cycle is None:
        cycle = BASIC_CYCLE if routing is None else routing.cycle
    if routing is not None and cycle != routing.cycle:
        raise InvalidInput(f"a cycle of {cycle} Flops; the routing is for {routing.cycle}.")
    if not 0 <= spares <= len(program):
        raise InvalidInput(f"{spares} chains of {len(program)} chips; expected one chip or more.")
    times = timetable(
        program,
        cycle,
        overlap=not spares,
        transfer=transfer,
        slots=None if routing is None else routing.slots,
    )
    sockets = tuple(_socket(program, number, times, routing) for number in range(len(program)))
    return Board(program, cycle, sockets, _chains(len(program), spares))


def _socket(
    program: VectorProgram, number: int, times: Timetable, routing: Routing | None
) -> Socket:
    operation = program.operations[number]
    start, finish = times.starts[number], times.finishes[number]

    def wire(source: Source, port: str) -> Wire:
        if source.from_host:
            return Wire(source, start // times.cycle)
        if routing is None:
            # on its way or waiting, it is overtaken by a newer one every cycle
            return Wire(source, (start - times.finishes[source.place]) // times.cycle)
        key = (source.place, number, port)
        waited = start - times.arrivals[key]
        return Wire(source, waited // times.cycle, routing.slots[key], routing.buses[key])

    def wires(operand: Operand, port: str) -> tuple[Wire, ...]:
        return tuple(wire(source, port) for source in operand.sources)

    dump = (finish - 1) % times.cycle + 1
    return Socket(
        operation.name,
        wires(operation.a, "A"),
        wires(operation.b, "B")[0],
        Program.of(operation.kind, operation.a.shape, start % times.cycle, dump),
        start,
        finish,
    )


def _chains(chips: int, spares: int) -> tuple[tuple[int, ...], ...]:
    """Neighbouring sockets in chains of about the same length."""
    bounds = [k * chips // spares for k in range(spares + 1)] if spares else []
    return tuple(tuple(range(first, last)) for first, last in itertools.pairwise(bounds))

"""Timetable of a program's operations, on chips that repeat themselves every cycle.

Every operation has a chip of its own, so each begins as soon as its operands are there. Two things
may hold it back. Where chips take turns to check each other, work must end in the cycle in which it
began, as in the source's basic cycle. And where results travel on shared buses, an operand comes in
the Flop of the cycle that its bus has for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.microcode import TABLE_VII_1
from phalanx.hardware.chip.serial import SerialPorts
from phalanx.hardware.chip.vamp import DELAYS
from phalanx.hardware.chip.vector_program import VectorProgram

Slots = Mapping[tuple[int, int, str], int]  # (source, reader, port) to a Flop of the cycle


@dataclass(frozen=True)
class Timetable:
    """Start and end of each operation, with the first sample.

    Attributes:
        cycle: Flops from one sample to the next.
        starts: Of each operation, in Flops.
        finishes: The same.
        arrivals: When a bus brings a result to a reader, by (source, reader, port).
    """

    cycle: int
    starts: tuple[int, ...]
    finishes: tuple[int, ...]
    arrivals: Mapping[tuple[int, int, str], int]


def flops(kind: str) -> int:
    """How long an operation takes."""
    return TABLE_VII_1[kind].flops


def least_cycle(program: VectorProgram, ports: SerialPorts) -> int:
    """The shortest cycle in which chips can shift operands in, compute, and shift results out."""
    cycles = (
        flops(operation.kind) + ports.flops(len(operation.a.sources))
        for operation in program.operations
    )
    return max(cycles, default=1)


def timetable(
    program: VectorProgram,
    cycle: int,
    *,
    overlap: bool = True,
    transfer: int = 0,
    ports: SerialPorts | None = None,
    slots: Slots | None = None,
) -> Timetable:
    """Operations as early as possible.

    Args:
        program: What is computed.
        cycle: Flops from one sample to the next.
        overlap: Whether an operation may begin in one cycle and end in the next.
        transfer: Flops that a result needs to the chips that read it.
        ports: Over which operands are shifted in; no time is needed for it when not given.
        slots: In which Flop of a cycle a bus carries a result to a reader; none for own wires.

    Raises:
        InvalidInput: The cycle is shorter than an operation, or longer than a chip can count.
    """
    longest = max((flops(operation.kind) for operation in program.operations), default=1)
    if not longest <= cycle < DELAYS:
        slow = next((o for o in program.operations if flops(o.kind) > cycle), None)
        why = "" if slow is None else f" '{slow.name}' is a {slow.kind} and takes {longest}."
        raise InvalidInput(
            f"a cycle of {cycle} Flops; expected {longest} to {DELAYS - 1} for this program.{why}"
        )
    if transfer < 0:
        raise InvalidInput(f"transfers of {transfer} Flops; expected 0 or more.")
    if ports is not None and cycle < least_cycle(program, ports):
        raise InvalidInput(
            f"a cycle of {cycle} Flops; with serial ports of {ports.bits} bits a word, "
            f"{ports.rate} bits a Flop, expected {least_cycle(program, ports)} or more."
        )
    starts: list[int] = []
    finishes: list[int] = []
    arrivals: dict[tuple[int, int, str], int] = {}
    for number, operation in enumerate(program.operations):
        start = 0
        for port, operand in (("A", operation.a), ("B", operation.b)):
            shifting = 0 if ports is None else ports.flops(len(operand.sources))
            for source in operand.sources:
                if source.from_host:
                    start = max(start, shifting)
                    continue
                there = finishes[source.place] + transfer + shifting
                if slots is not None:
                    key = (source.place, number, port)
                    there += (slots[key] - there) % cycle
                    arrivals[key] = there
                start = max(start, there)
        taken = flops(operation.kind)
        if not overlap and start % cycle + taken > cycle:
            start += -start % cycle
        starts.append(start)
        finishes.append(start + taken)
    return Timetable(cycle, tuple(starts), tuple(finishes), arrivals)

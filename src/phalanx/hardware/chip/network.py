"""Emulation of chips on a board, tick by tick.

In a Flop the buses carry first, then operands are loaded, all chips compute, counters go up by one,
and results whose time has come go out; so what is out at the end of a Flop can be loaded at the
begin of the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.board import Board, Duty
from phalanx.hardware.chip.faults import Breakages, Fault
from phalanx.hardware.chip.global_reset import ModeSense, ResetEvent
from phalanx.hardware.chip.maintenance import notices
from phalanx.hardware.chip.number_format import NumberFormat, TooNarrow, Word
from phalanx.hardware.chip.rolling_check import ChipState, first_states, next_states
from phalanx.hardware.chip.vamp import DELAYS, NOTHING, NUMBERS, ChipProgram, Vamp, Vector
from phalanx.hardware.chip.wires import Wires


@dataclass(frozen=True)
class Excision:
    """A chip that was found wrong and taken out.

    Attributes:
        cycle: In which the difference was seen.
        finder: Number of the chip that saw it.
        number: Of the chip that was taken out.
    """

    cycle: int
    finder: int
    number: int


class _Post(NamedTuple):
    """A chip at work for a cycle: where, by which registers, and whether its result counts.

    It begins nothing where it has no duty in this cycle, but ends what is under way.
    """

    chip: Vamp
    program: ChipProgram
    place: int
    duty: Duty | None
    drives: bool


class Network:
    """Chips in the sockets of a board.

    Attributes:
        board: The board.
        words: How chips keep numbers.
        sense: What all chips have heard on the Global-Reset line.
        chips: By socket; the spares of chains come after all sockets.
        wires: What is on its way between them.
        excisions: What the rolling check found since chips were programmed.
        drivers: How many chips drive each role in this cycle.
    """

    def __init__(
        self, board: Board, words: NumberFormat, numbers: Sequence[int] | None = None
    ) -> None:
        """Put chips into the sockets.

        Args:
            board: The board.
            words: How chips keep numbers.
            numbers: Burned into the chips, by socket; counted from 1 when not given.

        Raises:
            InvalidInput: Two chips have one number, there are too few, or words have other lengths
                than ports.
        """
        given = list(range(1, board.chips + 1)) if numbers is None else list(numbers)
        _check_numbers(board, given)
        if board.ports is not None and board.ports.bits != words.bits:
            raise InvalidInput(
                f"words of {words.bits} bits ({words.name}) on serial ports for {board.ports.bits} "
                "bits; both must be the same."
            )
        self.board, self.words = board, words
        self.chips = [Vamp(number, words) for number in given[: board.chips]]
        self.wires, self.sense = Wires(board, words), ModeSense()
        self.excisions: list[Excision] = []
        self.drivers = [0] * len(board.sockets)
        self._breakages = Breakages(words)
        self._counter = self._cycle = 0
        self._at_work: list[_Post] | None = None  # in data mode, since the first cycle began
        self._programmed = True
        self._under_way: list[Duty] = list(board.first_duties)

    def break_later(self, fault: Fault) -> None:
        """Let a chip break in some cycle.

        Raises:
            InvalidInput: No chip has this number.
        """
        if all(chip.number != fault.number for chip in self.chips):
            raise InvalidInput(f"no chip has number {fault.number}; nothing to break.")
        self._breakages.to_come.append(fault)

    def scramble(self, rng: np.random.Generator) -> None:
        """Put anything at all into every register, buffer and counter, as after power comes on."""

        def word() -> Word:
            return self.words.word(float(rng.uniform(-1, 1)))

        for chip in self.chips:
            chip.scramble(rng, word)
        self.wires.fill(lambda: (word(), word(), word()))
        self._counter = int(rng.integers(DELAYS))
        high, low = (int(n) for n in rng.integers(0, 4, 2))
        self.sense = ModeSense(bool(rng.integers(2)), high, low)

    def result(self, operation: int) -> Vector:
        """What is on the result wire of the socket that does an operation."""
        return self.wires.on_socket(self.board.socket_of[operation])

    def tick(self, reset: bool, given: Sequence[Vector]) -> ResetEvent:
        """One tick of the clock.

        Args:
            reset: The Global-Reset line.
            given: What the host has on its ports.

        Returns:
            What chips took the tick for.
        """
        event = self.sense.step(reset)
        if event is ResetEvent.CYCLE:
            self._begin(given)
        if event in (ResetEvent.CYCLE, ResetEvent.FLOP) and self._at_work is not None:
            self._flop(self._at_work)
        elif event is ResetEvent.PROGRAM:
            self._program_cycle(given)
        elif event is ResetEvent.MAINTENANCE:
            self._maintenance_cycle(given)
        if self.sense.held:
            self._at_work, self._cycle = None, 0
        return event

    # Data mode

    def _begin(self, given: Sequence[Vector]) -> None:
        """The start of a cycle: counters are zeroed, the host's words are there."""
        if self._programmed:
            self._programmed = False
            self.excisions = []
            for chain in self._chains():
                for chip, state in zip(chain, first_states(len(chain) - 1), strict=True):
                    chip.state = state
        elif self._at_work is not None:
            self._turn_over()
        self._breakages.strike(self._cycle)
        self.wires.write_ports(given)
        self._counter = 0
        self._at_work = self._posts()
        self.drivers = [0] * len(self.board.sockets)
        for post in self._at_work:
            if post.drives and not self._breakages.is_dead(post.chip.number):
                self.drivers[post.place] += 1
        self._cycle += 1

    def _posts(self) -> list[_Post]:
        """Who works where in this cycle."""
        posts = []
        turn = self.board.turns[self._cycle % self.board.period]
        for k, chip in enumerate(self.chips):
            in_place = chip.state.in_place_of_successor
            place = self.board.links.get(k) if in_place else k
            program = chip.active
            works = in_place or chip.state.drives_own
            if works and program is not None and place is not None and place < len(turn):
                drives = chip.state.drives_own or chip.state.drives_successor
                posts.append(_Post(chip, program, place, turn[place], drives))
        return posts

    def _flop(self, posts: Sequence[_Post]) -> None:
        now, read = self._counter, self.wires.read
        self.wires.carry(now)
        for chip, program, place, duty, _ in posts:
            if duty is None:
                continue
            if program.load_a == now:
                lines = duty.a if program.shape else duty.a[:1]
                operand = [read(wire, now, k) for k, wire in enumerate(lines)]
                chip.load_a(operand, program.shape)
            if program.load_b == now:
                chip.load_b(read(duty.b, now), program)
                self._under_way[place] = duty
        for post in posts:
            if post.chip.step is not None:
                try:
                    post.chip.compute()
                except TooNarrow as error:
                    self._overflow(error, post.chip, self._under_way[post.place])
        self._counter += 1
        self._dump(posts)

    def _dump(self, posts: Sequence[_Post]) -> None:
        """Put results on wires, and let those who check compare."""
        checks = []
        for chip, program, place, _, drives in posts:
            if program.dump == self._counter and not self._breakages.is_dead(chip.number):
                result = self._breakages.spoilt(chip.number, chip.result())
                if drives:
                    self.wires.drive(place, result)
                else:
                    checks.append((chip, place, result))
        self.wires.strobe(self._counter)
        for chip, place, result in checks:
            chip.equal = result == self.wires.on_socket(place)

    def _overflow(self, error: TooNarrow, chip: Vamp, duty: Duty) -> None:
        """Report a value that does not fit, unless it is of no sample: what was there before."""
        flops = (self._cycle - 1) * self.board.cycle + self._counter
        number = (flops - duty.start) // self.board.interval
        if number < 0:
            return
        raise error.at(f"chip {chip.number}, '{duty.role}', set {number}") from None

    def _turn_over(self) -> None:
        """Let the chains go on to their next states."""
        for chain in self._chains():
            dead = [self._breakages.is_dead(chip.number) for chip in chain]
            before = [chip.state for chip in chain]
            after = next_states(before, [chip.equal for chip in chain], dead)
            for k, (chip, state) in enumerate(zip(chain, after, strict=True)):
                if state is ChipState.HOLD and before[k] is ChipState.CHECK:
                    found = Excision(self._cycle - 1, chip.number, chain[k + 1].number)
                    self.excisions.append(found)
                chip.state = state

    def _chains(self) -> list[list[Vamp]]:
        first_spare = len(self.board.sockets)
        return [
            [self.chips[first_spare + c], *(self.chips[k] for k in chain)]
            for c, chain in enumerate(self.board.chains)
        ]

    # Program and maintenance mode

    def _program_cycle(self, given: Sequence[Vector]) -> None:
        """Chips hand words on, and take what is for them; no work is under way."""
        self._programmed = True
        for chip in self.chips:
            chip.step, chip.state, chip.equal = None, ChipState.NORMAL, True
        passing = [self.wires.passing(duty.a[0]) for duty in self.board.first_duties]
        for k, chip in enumerate(self.chips):
            # a spare has the operands of the first chip of its chain
            place = k if k < len(passing) else self.board.links[k]
            if not self._breakages.is_dead(chip.number):
                chip.take(passing[place])
        self._hand_on(given, passing)

    def _maintenance_cycle(self, given: Sequence[Vector]) -> None:
        """Chips hand on the numbers of those who found faults."""
        self._hand_on(given, notices(self.board, self.chips, self.wires.passing))

    def _hand_on(self, given: Sequence[Vector], passing: Sequence[Vector]) -> None:
        """Let those who drive a role put a word on its wire, as far as they are sound."""
        handed = [NOTHING] * len(passing)
        for k, chip in enumerate(self.chips):
            place = self.board.links.get(k) if chip.state.drives_successor else k
            drives = chip.state.drives_own or chip.state.drives_successor
            if drives and place is not None and place < len(passing):
                if not self._breakages.is_dead(chip.number):
                    handed[place] = self._breakages.spoilt(chip.number, passing[place])
        self.wires.hand_on(handed)
        self.wires.write_ports(given)


def _check_numbers(board: Board, given: Sequence[int]) -> None:
    """Refuse too few chips, too many, and two with one number."""
    if len(given) < board.chips:
        raise InvalidInput(
            f"'{board.program.name}' needs {board.chips} chips ({len(board.sockets)} at work, "
            f"{len(board.chains)} spare); there are {len(given)}."
        )
    if board.chips >= NUMBERS:
        raise InvalidInput(
            f"'{board.program.name}' needs {board.chips} chips; packets can tell {NUMBERS - 1} "
            "apart."
        )
    seen: dict[int, int] = {}
    for place, number in enumerate(given):
        if number in seen:
            raise InvalidInput(
                f"chips {seen[number]} and {place} both have number {number}, so no packet can "
                "reach one of them alone; every chip needs a number of its own."
            )
        seen[number] = place

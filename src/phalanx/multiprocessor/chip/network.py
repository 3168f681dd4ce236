"""Chips on a board, emulated Flop by Flop.

In a Flop the buses carry first, then operands are loaded, all chips compute, counters go up by one,
and results whose time has come go out; so what is out at the end of a Flop can be loaded at the
begin of the next. A result stays on its wire until the next one. A passive buffer moves on by one
word whenever its source does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.chip.board import Board, Duty, Wire
from phalanx.multiprocessor.chip.faults import Fault
from phalanx.multiprocessor.chip.number_format import NumberFormat, TooNarrow, Word
from phalanx.multiprocessor.chip.rolling_check import State, first_states, next_states
from phalanx.multiprocessor.chip.vamp import DELAYS, MEMORY, NOTHING, NUMBERS, Program, Vamp, Vector
from phalanx.multiprocessor.chip.vector_program import SHAPES

NOTICE = 21845  # second word of a notice of fault; no number of a chip is as large


class BusConflict(InvalidInput):
    """Two results on one bus at a time."""


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
    program: Program
    place: int
    duty: Duty | None
    drives: bool


class Network:
    """Chips in the sockets of a board.

    Attributes:
        board: The board.
        words: How chips keep numbers.
        chips: By socket; the spares of chains come after all sockets.
        excisions: What the rolling check found since data mode began.
        drivers: How many chips drive each role in this cycle.
        links: The socket that follows each chip in its chain, by the place of the chip.
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
            InvalidInput: Two chips have one number, or there are too few.
        """
        given = list(range(1, board.chips + 1)) if numbers is None else list(numbers)
        if len(given) < board.chips:
            raise InvalidInput(
                f"'{board.program.name}' needs {board.chips} chips ({len(board.sockets)} at work, "
                f"{len(board.chains)} spare); there are {len(given)}."
            )
        if board.chips >= NUMBERS:
            raise InvalidInput(
                f"'{board.program.name}' needs {board.chips} chips; packets can tell "
                f"{NUMBERS - 1} apart."
            )
        seen: dict[int, int] = {}
        for place, number in enumerate(given):
            if number in seen:
                raise InvalidInput(
                    f"chips {seen[number]} and {place} both have number {number}, so no packet "
                    "can reach one of them alone; every chip needs a number of its own."
                )
            seen[number] = place
        self.board, self.words = board, words
        self.chips = [Vamp(number, words) for number in given[: board.chips]]
        self.excisions: list[Excision] = []
        self.drivers = [0] * len(board.sockets)
        self._counter = self._cycle = 0
        self._faults: list[Fault] = []
        self._broken: dict[int, Fault] = {}
        self.links = _links(board)
        depth = 2 + max((w.delay for duty in board.duties for w in duty.wires), default=0)
        self._results: list[deque[Vector]] = [
            deque([NOTHING] * depth, maxlen=depth) for _ in board.sockets
        ]
        self._ports: list[deque[Vector]] = [
            deque([NOTHING] * depth, maxlen=depth) for _ in board.program.ports
        ]
        self._latches = {
            wire: deque([NOTHING] * depth, maxlen=depth)
            for duty in board.duties
            for wire in duty.wires
            if wire.slot is not None
        }
        self._driving: list[Vector | None] = [None] * len(board.sockets)
        self._strobes: dict[int, list[int]] = {}
        for place, duty in enumerate(board.first_duties):
            self._strobes.setdefault(duty.program.dump, []).append(place)
        self._under_way: list[Duty] = list(board.first_duties)

    def break_later(self, fault: Fault) -> None:
        """Let a chip break in some cycle.

        Raises:
            InvalidInput: No chip has this number.
        """
        if all(chip.number != fault.number for chip in self.chips):
            raise InvalidInput(f"no chip has number {fault.number}; nothing to break.")
        self._faults.append(fault)

    def scramble(self, rng: np.random.Generator) -> None:
        """Put anything at all into every register, buffer and counter, as after power comes on."""

        def word() -> Word:
            return self.words.word(float(rng.uniform(-1, 1)))

        def vector() -> Vector:
            return (word(), word(), word())

        for chip in self.chips:
            load_a, load_b, dump = (int(n) for n in rng.integers(0, DELAYS, 3))
            operation, shape = int(rng.integers(MEMORY)), int(rng.integers(len(SHAPES)))
            chip.program = Program(load_a, load_b, dump, operation, shape)
            chip.successor = None if rng.integers(2) else chip.program
            chip.memory = [int(w) for w in rng.integers(0, 2**15, MEMORY)]
            chip.state = list(State)[int(rng.integers(len(State)))]
            chip.step, chip.running = None, chip.program
            for module in chip.modules:
                module.a, module.b = list(vector()), list(vector())
                module.units = {unit: word() for unit in module.units}
        for buffer in (*self._results, *self._ports, *self._latches.values()):
            buffer.extend(vector() for _ in range(buffer.maxlen or 0))
        self._counter = int(rng.integers(DELAYS))

    # Data mode

    def start(self) -> None:
        """Enter data mode: counters at zero, chains at the begin of a sweep."""
        self._counter = self._cycle = 0
        self.excisions = []
        for chip in self.chips:
            chip.step, chip.state, chip.equal = None, State.NORMAL, True
        for chain in self._chains():
            for chip, state in zip(chain, first_states(len(chain) - 1), strict=True):
                chip.state = state

    def run_cycle(self, given: Iterable[Vector], observe: Callable[[int], None]) -> None:
        """One cycle in data mode.

        Args:
            given: What the host writes at its start, by port.
            observe: Called after each Flop with the number of Flops that are over.
        """
        if self._cycle:
            self._turn_over()
        for fault in self._faults:
            if fault.cycle == self._cycle:
                self._broken[fault.number] = fault
        for port, vector in zip(self._ports, given, strict=True):
            port.append(vector)
        self._counter = 0  # Global-Reset is true for a tick
        posts = self._posts()
        self.drivers = [0] * len(self.board.sockets)
        for post in posts:
            if post.drives and not self._is_dead(post.chip):
                self.drivers[post.place] += 1
        for _ in range(self.board.cycle):
            self._flop(posts)
            observe(self._cycle * self.board.cycle + self._counter)
        self._cycle += 1

    def _posts(self) -> list[_Post]:
        """Who works where in this cycle."""
        posts = []
        turn = self.board.turns[self._cycle % self.board.period]
        for k, chip in enumerate(self.chips):
            in_place = chip.state.in_place_of_successor
            place = self.links.get(k) if in_place else k
            program = chip.active
            works = in_place or chip.state.drives_own
            if works and program is not None and place is not None and place < len(self._results):
                drives = chip.state.drives_own or chip.state.drives_successor
                posts.append(_Post(chip, program, place, turn[place], drives))
        return posts

    def _flop(self, posts: Sequence[_Post]) -> None:
        now = self._counter
        if self._latches:
            self._carry(now)
        for chip, program, place, duty, _ in posts:
            if duty is None:
                continue
            if program.load_a == now:
                lines = duty.a if program.shape else duty.a[:1]
                chip.load_a([self._read(wire) for wire in lines], program.shape)
            if program.load_b == now:
                chip.load_b(self._read(duty.b), program)
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
            if program.dump == self._counter and not self._is_dead(chip):
                result = self._spoilt(chip)
                if drives:
                    self._driving[place] = result
                else:
                    checks.append((chip, place, result))
        for place in self._strobes.get(self._counter, ()):
            self._results[place].append(self._driving[place] or NOTHING)  # nobody drives: zero
            self._driving[place] = None
        for chip, place, result in checks:
            chip.equal = result == self._results[place][-1]

    def _carry(self, now: int) -> None:
        """Let buses carry results to the latches of those who read them."""
        driving: dict[tuple[int, int], int] = {}
        for wire, latch in self._latches.items():
            if wire.slot == now and wire.bus is not None:
                other = driving.setdefault(wire.bus, wire.source.place)
                if other != wire.source.place:
                    roles = [self.board.duties[k].role for k in (other, wire.source.place)]
                    raise BusConflict(
                        f"'{roles[0]}' and '{roles[1]}' both drive segment {wire.bus[1]} of tier "
                        f"{wire.bus[0]} in Flop {now} of the cycle."
                    )
                latch.append(self.result(wire.source.place))

    def _overflow(self, error: TooNarrow, chip: Vamp, duty: Duty) -> None:
        """Report a value that does not fit, unless it is of no set: what was there before."""
        flops = self._cycle * self.board.cycle + self._counter
        number = (flops - duty.start) // self.board.interval
        if number < 0:
            return
        raise error.at(f"chip {chip.number}, '{duty.role}', set {number}") from None

    def _spoilt(self, chip: Vamp) -> Vector:
        """A chip's result, after what its fault makes of it."""
        fault = self._broken.get(chip.number)
        if fault is None:
            return chip.result()
        result = list(chip.result())
        result[fault.component - 1] = self.words.word(fault.value)
        return (result[0], result[1], result[2])

    def _is_dead(self, chip: Vamp) -> bool:
        fault = self._broken.get(chip.number)
        return fault is not None and fault.kind == "dead"

    def _turn_over(self) -> None:
        """Let the chains go on to their next states."""
        for chain in self._chains():
            dead = [self._is_dead(chip) for chip in chain]
            before = [chip.state for chip in chain]
            after = next_states(before, [chip.equal for chip in chain], dead)
            for k, (chip, state) in enumerate(zip(chain, after, strict=True)):
                if state is State.HOLD and before[k] is State.CHECK:
                    found = Excision(self._cycle - 1, chip.number, chain[k + 1].number)
                    self.excisions.append(found)
                chip.state = state

    def _chains(self) -> list[list[Vamp]]:
        first_spare = len(self.board.sockets)
        return [
            [self.chips[first_spare + c], *(self.chips[k] for k in chain)]
            for c, chain in enumerate(self.board.chains)
        ]

    # Wires

    def _read(self, wire: Wire) -> Vector:
        if wire.slot is not None:
            return self._latches[wire][-1 - wire.delay]
        return self._source(wire)[-1 - wire.delay]

    def _source(self, wire: Wire) -> deque[Vector]:
        if wire.source.from_host:
            return self._ports[wire.source.place]
        return self._results[self.board.socket_of[wire.source.place]]

    def result(self, operation: int) -> Vector:
        """What is on the result wire of the socket that does an operation."""
        return self._results[self.board.socket_of[operation]][-1]

    # Program and maintenance mode

    def reset(self) -> None:
        """What holding Global-Reset does: no work under way, all chips at their own places."""
        for chip in self.chips:
            chip.step, chip.state = None, State.NORMAL

    def program_cycle(self, word: Vector) -> None:
        """One cycle in program mode: the host writes a word to all ports, chips hand words on."""
        passing = [self._passing(duty.a[0]) for duty in self.board.first_duties]
        for k, chip in enumerate(self.chips):
            # a spare has the operands of the first chip of its chain
            place = k if k < len(passing) else self.links[k]
            if not self._is_dead(chip):
                chip.take(passing[place])
        self._hand_on(word, passing)

    def maintenance_cycle(self, below: int) -> None:
        """One cycle in maintenance mode: the numbers of those who found faults go on.

        A word carries a number, the mark of a notice, and the host's limit. Of the notices that
        meet in a chip, the one with the largest number below the limit goes on; so the host finds
        all of them, one after another, by lowering the limit.
        """
        found = []
        for duties in self.board.sockets:
            wires = (wire for duty in duties for wire in self.board.duties[duty].wires)
            words = [self._passing(wire) for wire in wires]
            found.append(max((w[0] for w in words if w[1] == NOTICE and w[0] < below), default=-1))
        for k, chip in enumerate(self.chips):
            place = self.links.get(k)
            if chip.state is State.HOLD and place is not None and chip.number < below:
                found[place] = max(found[place], chip.number)
        self._hand_on((-1, NOTICE, below), [(number, NOTICE, below) for number in found])

    def _passing(self, wire: Wire) -> Vector:
        """What a wire brings when all transfers are at the start of a cycle."""
        return self._source(wire)[-1 - wire.delay]

    def _hand_on(self, word: Vector, passing: Sequence[Vector]) -> None:
        for buffer, result in zip(self._results, passing, strict=True):
            buffer.append(result)
        for port in self._ports:
            port.append(word)


def _links(board: Board) -> Mapping[int, int]:
    """The socket that follows each chip in its chain, by the chip's place."""
    links = {}
    for c, chain in enumerate(board.chains):
        for k, following in zip((len(board.sockets) + c, *chain), chain, strict=False):
            links[k] = following
    return links

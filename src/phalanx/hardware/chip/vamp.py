"""VAMP chip: three primitive modules and the control that makes a vector processor of them.

Control is a counter and four registers. The counter says how many Flops of the cycle are over; two
comparators load the operands when it reaches their delays, a third one dumps the result; a pointer
says which operation, in read-only memory or in memory that the host has written. Work begins in the
Flop that loads operand B, so operand A is there by then.

Programs come over the data wires. In program mode a chip hands operand A on as its result, looks at
every word that passes, and loads what carries its own number, which is burned in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.microcode import TABLE_VII_1, Instruction
from phalanx.hardware.chip.module import Module
from phalanx.hardware.chip.number_format import NumberFormat, Word
from phalanx.hardware.chip.rolling_check import ChipState
from phalanx.hardware.chip.vector_program import SHAPES

Vector = tuple[Word, Word, Word]

DELAYS = 128  # a delay has seven bits
NUMBERS = 8192  # a chip's number has thirteen bits, two more say what a packet is for
MEMORY = 32  # words of microcode that the host can write
READ_ONLY = tuple(TABLE_VII_1)

NOTHING: Vector = (0, 0, 0)
OWN_PROGRAM, NEXT_PROGRAM, MICROCODE = range(3)


@dataclass(frozen=True)
class ChipProgram:
    """What the control registers of a chip hold.

    Attributes:
        load_a: When operand A is loaded, in Flops after the cycle's start, from 0.
        load_b: When operand B is loaded and work begins.
        dump: When the result goes out, from 1 to the cycle's length.
        operation: Place of the operation in its memory.
        shape: What operand A is: 0 a vector, 1 rows, 2 columns of a matrix.
        written: Whether the operation is in the memory that the host writes.
    """

    load_a: int
    load_b: int
    dump: int
    operation: int
    shape: int = 0
    written: bool = False

    def __post_init__(self) -> None:
        """Check that registers can hold it."""
        for what, value, limit in (
            ("load_a", self.load_a, DELAYS),
            ("load_b", self.load_b, DELAYS),
            ("dump", self.dump, DELAYS),
            ("operation", self.operation, MEMORY),
            ("shape", self.shape, len(SHAPES)),
        ):
            if not 0 <= value < limit:
                raise InvalidInput(
                    f"a chip's program has {what} {value}; expected 0 to {limit - 1}."
                )

    @staticmethod
    def of(kind: str, shape: str, load: int, dump: int) -> ChipProgram:
        """A program for an operation of the table that loads both operands at once."""
        return ChipProgram(load, load, dump, READ_ONLY.index(kind), SHAPES.index(shape))

    def words(self) -> tuple[int, int]:
        """The two words in which it travels, of 15 bits."""
        pointer = (int(self.written) * 4 + self.shape) * MEMORY + self.operation
        return self.load_a + DELAYS * self.load_b, self.dump + DELAYS * pointer

    @staticmethod
    def read(first: Word, second: Word) -> ChipProgram:
        """The program in two words; any bits at all are some program."""
        loads, rest = int(first), int(second)
        pointer = rest // DELAYS
        return ChipProgram(
            loads % DELAYS,
            loads // DELAYS % DELAYS,
            rest % DELAYS,
            pointer % MEMORY,
            pointer // MEMORY % 4 % len(SHAPES),
            pointer // MEMORY // 4 % 2 == 1,
        )


def packet(number: int, purpose: int, first: Word = 0, second: Word = 0) -> Vector:
    """Build a packet to one chip: its number, a purpose, and two words."""
    return (number + NUMBERS * purpose, first, second)


@dataclass
class Vamp:
    """A chip and its registers.

    Attributes:
        number: Burned in.
        words: How numbers are kept and rounded.
        program: Control registers for its own work.
        successor: Control registers for the work of its successor.
        memory: Microcode that the host has written.
        modules: For components 1, 2 and 3.
        state: Of the rolling check.
        equal: Whether the last comparison found no difference.
        step: The next Flop of the operation under way; None when there is none.
        running: The program under way.
    """

    number: int
    words: NumberFormat
    program: ChipProgram = field(default_factory=lambda: ChipProgram(0, 0, 1, 0))
    successor: ChipProgram | None = None
    memory: list[int] = field(default_factory=lambda: [0] * MEMORY)
    modules: tuple[Module, Module, Module] = field(init=False)
    state: ChipState = ChipState.NORMAL
    equal: bool = True
    step: int | None = None
    running: ChipProgram | None = None

    def __post_init__(self) -> None:
        """Check the number; make the modules."""
        if not 0 <= self.number < min(NUMBERS, self.words.largest_integer // 4):
            raise InvalidInput(f"a chip has number {self.number}; expected 0 to {NUMBERS - 1}.")
        self.modules = (Module(1, self.words), Module(2, self.words), Module(3, self.words))

    @property
    def active(self) -> ChipProgram | None:
        """The registers that count: its successor's while it works in its place."""
        return self.successor if self.state.in_place_of_successor else self.program

    def load_a(self, lines: Sequence[Vector], shape: int) -> None:
        """Fill the registers for operand A: one vector into all modules, or a row for each."""
        for c, module in enumerate(self.modules):
            if shape == 0:
                module.a = list(lines[0])
            elif shape == 1:
                module.a = list(lines[c % len(lines)])
            else:
                module.a = [lines[k % len(lines)][c] for k in range(3)]

    def load_b(self, line: Vector, program: ChipProgram) -> None:
        """Fill the registers for operand B, and begin."""
        for module in self.modules:
            module.b = list(line)
        self.step, self.running = 0, program

    def compute(self) -> None:
        """One Flop of the operation under way, in all modules.

        Raises:
            TooNarrow: A result does not fit into a word.
        """
        if self.step is None or self.running is None:
            return
        instruction, last = self._instruction(self.running, self.step)
        self.step = None if last else self.step + 1
        for module in self.modules:
            module.step(instruction)

    def result(self) -> Vector:
        """What the modules hold as their result."""
        program = self.running
        unit = "ADD"
        if program is not None and not program.written:
            unit = TABLE_VII_1[READ_ONLY[program.operation % len(READ_ONLY)]].result
        elif program is not None:
            unit = self._written_result(program.operation)
        first, second, third = (module.units[unit] for module in self.modules)
        return (first, second, third)

    def take(self, word: Vector) -> None:
        """Look at a packet that passes in program mode; load it when it is for this chip."""
        code, first, second = word
        if code == self.number:
            self.program = ChipProgram.read(first, second)
        elif code == self.number + NUMBERS * NEXT_PROGRAM:
            self.successor = ChipProgram.read(first, second)
        elif code == self.number + NUMBERS * MICROCODE:
            self.memory[int(first) % MEMORY] = int(second)

    def scramble(self, rng: np.random.Generator, word: Callable[[], Word]) -> None:
        """Put anything at all into all registers, as after power comes on."""
        load_a, load_b, dump = (int(n) for n in rng.integers(0, DELAYS, 3))
        operation, shape = int(rng.integers(MEMORY)), int(rng.integers(len(SHAPES)))
        self.program = ChipProgram(load_a, load_b, dump, operation, shape)
        self.successor = None if rng.integers(2) else self.program
        self.memory = [int(w) for w in rng.integers(0, 2**15, MEMORY)]
        self.state = list(ChipState)[int(rng.integers(len(ChipState)))]
        self.step, self.running = None, self.program
        for module in self.modules:
            module.a, module.b = [word(), word(), word()], [word(), word(), word()]
            module.units = {unit: word() for unit in module.units}

    def _instruction(self, program: ChipProgram, step: int) -> tuple[Instruction, bool]:
        if program.written:
            return Instruction.decoded(self.memory[(program.operation + step) % MEMORY])
        code = TABLE_VII_1[READ_ONLY[program.operation % len(READ_ONLY)]].instructions
        return code[step], step + 1 == len(code)

    def _written_result(self, start: int) -> str:
        for k in range(MEMORY):
            instruction, last = Instruction.decoded(self.memory[(start + k) % MEMORY])
            if last:
                return "M1" if instruction.add is None else "ADD"
        return "ADD"

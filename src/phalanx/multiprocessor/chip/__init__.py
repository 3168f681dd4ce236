"""The source's chip, emulated: vector processors on a board, programmed over their data wires."""

from phalanx.multiprocessor.chip.array import ChipArray, chip_array
from phalanx.multiprocessor.chip.board import Board, Duty, Wire
from phalanx.multiprocessor.chip.bus import MostlyLocalBus, Routing, route
from phalanx.multiprocessor.chip.compile import compile_program
from phalanx.multiprocessor.chip.faults import Fault, random_faults
from phalanx.multiprocessor.chip.host import Host, run_on_chips
from phalanx.multiprocessor.chip.microcode import TABLE_VII_1, Instruction, Microprogram
from phalanx.multiprocessor.chip.network import BusConflict, Excision, Network
from phalanx.multiprocessor.chip.number_format import (
    Double,
    FixedPoint,
    NumberFormat,
    Single,
    TooNarrow,
    number_format,
)
from phalanx.multiprocessor.chip.precision import Precision, precision
from phalanx.multiprocessor.chip.read_tasks import ChipTasks, read_tasks
from phalanx.multiprocessor.chip.rolling_check import State
from phalanx.multiprocessor.chip.survival import Survival, survive, sweep_cycles
from phalanx.multiprocessor.chip.vamp import Program, Vamp
from phalanx.multiprocessor.chip.vector_program import NotOnChip, VectorProgram, VectorWriter

__all__ = [
    "TABLE_VII_1",
    "Board",
    "BusConflict",
    "ChipArray",
    "ChipTasks",
    "Double",
    "Duty",
    "Excision",
    "Fault",
    "FixedPoint",
    "Host",
    "Instruction",
    "Microprogram",
    "MostlyLocalBus",
    "Network",
    "NotOnChip",
    "NumberFormat",
    "Precision",
    "Program",
    "Routing",
    "Single",
    "State",
    "Survival",
    "TooNarrow",
    "Vamp",
    "VectorProgram",
    "VectorWriter",
    "Wire",
    "chip_array",
    "compile_program",
    "number_format",
    "precision",
    "random_faults",
    "read_tasks",
    "route",
    "run_on_chips",
    "survive",
    "sweep_cycles",
]
__dir__ = __all__.copy

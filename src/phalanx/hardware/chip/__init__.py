"""Emulated chips of the source: vector processors (VAMP) on a board, with fault tolerance."""

from phalanx.hardware.chip.array import ChipArray, chip_array
from phalanx.hardware.chip.board import Board, Duty, OperandWire
from phalanx.hardware.chip.bus import MostlyLocalBus, Routing, route
from phalanx.hardware.chip.compile import compile_program
from phalanx.hardware.chip.faults import Fault, random_faults
from phalanx.hardware.chip.host import Host, run_on_chips
from phalanx.hardware.chip.microcode import TABLE_VII_1, Instruction, Microprogram
from phalanx.hardware.chip.network import Excision, Network
from phalanx.hardware.chip.number_format import (
    Double,
    FixedPoint,
    NumberFormat,
    Single,
    TooNarrow,
    number_format,
)
from phalanx.hardware.chip.precision import Precision, precision
from phalanx.hardware.chip.read_tasks import ChipTasks, read_tasks
from phalanx.hardware.chip.rolling_check import ChipState
from phalanx.hardware.chip.serial import SerialPorts
from phalanx.hardware.chip.survival import Survival, survive, sweep_cycles
from phalanx.hardware.chip.vamp import ChipProgram, Vamp
from phalanx.hardware.chip.vector_program import NotOnChip, VectorProgram
from phalanx.hardware.chip.vector_writer import VectorWriter
from phalanx.hardware.chip.wires import BusConflict

__all__ = [
    "TABLE_VII_1",
    "Board",
    "BusConflict",
    "ChipArray",
    "ChipProgram",
    "ChipState",
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
    "OperandWire",
    "Precision",
    "Routing",
    "SerialPorts",
    "Single",
    "Survival",
    "TooNarrow",
    "Vamp",
    "VectorProgram",
    "VectorWriter",
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

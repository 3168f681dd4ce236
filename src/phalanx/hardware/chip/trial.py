"""Trial of emulated chips: torques in several number formats, and what faults do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts, Part, Styled, TextTable, duration
from phalanx.dynamics import Dynamics
from phalanx.hardware.arrays.budgets import packages
from phalanx.hardware.chip.array import ChipArray
from phalanx.hardware.chip.bus import Routing
from phalanx.hardware.chip.faults import Fault, random_faults
from phalanx.hardware.chip.host import Host
from phalanx.hardware.chip.network import Network
from phalanx.hardware.chip.number_format import Double
from phalanx.hardware.chip.precision import Precision, precision
from phalanx.hardware.chip.survival import Survival, survive, sweep_cycles


@final
@dataclass(frozen=True)
class ChipTrial:
    """Chips with samples that have passed through them.

    Attributes:
        array: The chips.
        asked: Kind of the chips, number of motions, seed.
        packets: Written to program them.
        programming: Cycles that this took.
        rows: Formats and their errors.
        survival: What became of faults; None without any.
        seconds: Time to emulate the samples in the first format, and the faults.
    """

    array: ChipArray
    asked: Mapping[str, Any]
    packets: int
    programming: int
    rows: Sequence[Precision]
    survival: Survival | None
    seconds: tuple[float, float]

    @staticmethod
    def of(
        array: ChipArray,
        motions: tuple[ArrayLike, ArrayLike, ArrayLike],
        formats: Sequence[str],
        asked: Mapping[str, Any],
        progress: Callable[[str], None] = lambda what: None,
    ) -> ChipTrial:
        """Torques in all formats, and what faults do where there are spares.

        Args:
            array: The chips.
            motions: Positions, velocities and accelerations, each of shape (samples, n).
            formats: Names of number formats.
            asked: Kind of the chips, number of motions, seed of the faults.
            progress: Told what is begun.

        Raises:
            InvalidInput: A value does not fit into the first format.
        """
        host = Host(Network(array.board, Double()))
        packets, programming = len(host.packets()), host.program()
        progress("Computing torques in double")
        expected = Dynamics(array.mechanism).inverse_dynamics(*motions)
        rows: list[Precision] = []
        begin = perf_counter()
        for name in formats:
            progress(f"Emulating chips with numbers in {name}")
            rows += precision(array, *motions, expected, [name])
            if len(rows) == 1:
                emulated = perf_counter() - begin
                if rows[0].refused is not None:
                    raise InvalidInput(rows[0].refused)
        survival, begin = None, perf_counter()
        if array.board.chains:
            progress("Emulating faults")
            survival = _broken(array, formats[0], asked["seed"], array.host_values(*motions))
        seconds = (emulated, perf_counter() - begin)
        return ChipTrial(array, asked, packets, programming, rows, survival, seconds)

    def facts(self) -> Facts:
        """The chips, what words cost, how full the bus is, what became of faults."""
        parts: list[Part] = [self._board(), "", *self._formats()]
        if self.array.routing is not None:
            parts += ["", *_bus(self.array.routing)]
        if self.survival is not None:
            parts += ["", *self._faults(self.survival)]
        return Facts(parts, {"model": self.array.mechanism.name, **self.asked})

    def _board(self) -> TextTable:
        board = self.array.board
        spares = f", {len(board.chains)} of them spare" if board.chains else ""
        rows = {
            "chips": f"{board.chips}{spares}",
            "packages": f"{packages(board.chips)} of 40 pins, 12 chips each; or one of 8 each",
            "cycle": f"{board.cycle} Flops, for one operation of a chip",
            "interval": f"{board.interval} Flops, from one sample to the next",
            "latency": f"{board.latency} Flops, from inputs to torques",
            "buffers": f"{board.buffers} vectors between chips, {board.input_buffers} at the host",
            "programming": f"{self.packets} packets in {self.programming} cycles",
            "emulated in": duration(self.seconds[0]),
        }
        return TextTable(
            f"inverse dynamics of {self.array.mechanism.name} on chips, {self.asked['kind']}",
            ["", ""],
            [],
            [(what, f" {how_much}") for what, how_much in rows.items()],
            values={
                "chips": board.chips,
                "spares": len(board.chains),
                "cycle": board.cycle,
                "interval": board.interval,
                "latency": board.latency,
                "buffers": board.buffers,
                "input_buffers": board.input_buffers,
                "packets": self.packets,
                "programming_cycles": self.programming,
                "seconds": {"torques": self.seconds[0], "faults": self.seconds[1]},
            },
        )

    def _formats(self) -> list[Part]:
        def cells(row: Precision) -> list[str]:
            if row.error is None or row.relative is None:
                return [row.words, f" {row.bits}", " –", " does not fit"]
            return [row.words, f" {row.bits}", f" {row.error:.1e}", f" {row.relative:.1e}"]

        refused = [f"\n{row.words}: {row.refused}" for row in self.rows if row.refused is not None]
        table = TextTable(
            "torque error",
            ["format"],
            [" bits", " largest", " relative"],
            [cells(row) for row in self.rows],
            values={"formats": [asdict(row) for row in self.rows]},
        )
        note = (
            "Difference from double: largest [N·m or N], and relative to the largest torque. "
            f"fixed:24.14: 24 bits, 14 of them fractional.{''.join(refused)}"
        )
        return [table, Styled(note, "italic")]

    def _faults(self, survival: Survival) -> list[Part]:
        rows = [
            {
                "role": self._role(fault),
                "found_after": survival.delay(fault),
                "reported": fault.number in survival.reported,
            }
            for fault in survival.faults
        ]
        table = TextTable(
            f"{len(survival.faults)} faults, {len(survival.found)} found, "
            f"{'survived' if survival.survived else 'not survived'}",
            ["chip", " operation", " fault"],
            [" cycle", " found after", " reported"],
            [
                (
                    f"{fault.number}",
                    f" {row['role']}",
                    f" {fault.kind}",
                    f" {fault.cycle}",
                    " –" if row["found_after"] is None else f" {row['found_after']}",
                    " yes" if row["reported"] else " no",
                )
                for fault, row in zip(survival.faults, rows, strict=True)
            ],
            values={
                "faults": {
                    "sweep": survival.sweep,
                    "sets": survival.sets,
                    "wrong_sets": len(survival.wrong),
                    "survived": survival.survived,
                    "accused": list(survival.accused),
                    "injected": [
                        asdict(fault) | row
                        for fault, row in zip(survival.faults, rows, strict=True)
                    ],
                }
            },
        )
        accused = ", ".join(map(str, survival.accused))
        note = (
            f"A test of the longest chain takes {survival.sweep} cycles. {len(survival.wrong)} of "
            f"{survival.sets} samples have wrong torques. A fault without effect on results, or in "
            "a chip that is already replaced, is not found."
            + (f" Working chips removed by faulty ones: {accused}." if accused else "")
        )
        return [table, Styled(note, "italic")]

    def _role(self, fault: Fault) -> str:
        """What the chip that broke was for; chips are numbered from 1 by socket."""
        return self.array.board.first_duties[fault.number - 1].role


def _bus(routing: Routing) -> list[Part]:
    """How full the tiers of the bus are."""
    bus = routing.bus
    table = TextTable(
        f"mostly-local bus: {len(bus.spans)} tiers, {routing.transfers} transfers per cycle",
        [],
        ["tier", " segments", " chips of each", " in use"],
        [
            (f"{tier}", f" {bus.segments(tier)}", f" {min(span, bus.chips)}", f" {used:.0%}")
            for tier, (span, used) in enumerate(zip(bus.spans, routing.usage, strict=True))
        ],
        values={
            "bus": {
                "tiers": len(bus.spans),
                "transfers": routing.transfers,
                "least_cycle": routing.least,
                "usage": list(routing.usage),
            }
        },
    )
    note = f"Lower bound of the cycle for this placement: {routing.least} Flops."
    return [table, Styled(note, "italic")]


def _broken(array: ChipArray, words: str, seed: int, values: Any) -> Survival:
    """A board whose chips break within the first sweep, one in each chain."""
    board = array.board
    groups = [[1 + place for place in chain] for chain in board.chains]
    rng = np.random.default_rng(seed)
    faults = random_faults(groups, len(groups), sweep_cycles(board), rng)
    return survive(board, array.number_format(words, values), values, faults)

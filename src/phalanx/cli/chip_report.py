"""What ``phalanx chip`` has found, as tables for people and as data for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from phalanx.cli import console

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phalanx.hardware.chip import ChipArray, Fault, Precision, Routing, Survival

Noted = tuple[Any, str]  # a table, and what to say below it


@dataclass(frozen=True)
class Trial:
    """What one run of the command found.

    Attributes:
        array: The chips.
        asked: Kind of the chips, number of motions, seed.
        packets: Written to program them.
        programming: Cycles that this took.
        rows: Formats and their errors.
        survival: What became of faults; None without any.
        seconds: Time to emulate the sets in the first format, and the faults.
    """

    array: ChipArray
    asked: Mapping[str, Any]
    packets: int
    programming: int
    rows: Sequence[Precision]
    survival: Survival | None
    seconds: tuple[float, float]


def show(trial: Trial) -> None:
    """Tables for people, each with a note below."""
    parts = [board_table(trial), formats_table(trial.rows)]
    if trial.array.routing is not None:
        parts.append(bus_table(trial.array.routing))
    if trial.survival is not None:
        parts.append(faults_table(trial.array, trial.survival))
    out = console.out()
    for number, (table, note) in enumerate(parts):
        if number:
            out.print()
        out.print(table)
        if note:
            out.print(note, soft_wrap=True, markup=False, style="italic")


def board_table(trial: Trial) -> Noted:
    """The chips, their times, and what surrounds them."""
    from phalanx.hardware.arrays.budgets import packages

    board = trial.array.board
    table = console.table(
        f"inverse dynamics of {trial.array.mechanism.name} on chips, {trial.asked['kind']}",
        ("", " "),
        (),
    )
    spares = f", {len(board.chains)} of them spare" if board.chains else ""
    for what, how_much in (
        ("chips", f"{board.chips}{spares}"),
        ("packages", f"{packages(board.chips)} of 40 pins, 12 chips each; or one of 8 each"),
        ("cycle", f"{board.cycle} Flops, in which a chip does its work once"),
        ("interval", f"{board.interval} Flops, from one set to the next"),
        ("latency", f"{board.latency} Flops, from a motion to its torques"),
        ("buffers", f"{board.buffers} vectors between chips, {board.input_buffers} of the host"),
        ("programming", f"{trial.packets} packets in {trial.programming} cycles"),
        ("emulated in", console.duration(trial.seconds[0])),
    ):
        table.add_row(what, f" {how_much}")
    return table, ""


def formats_table(rows: Sequence[Precision]) -> Noted:
    """What the words cost."""
    table = console.table("torque error", ("format",), (" bits", " largest", " relative"))
    for row in rows:
        if row.error is None or row.relative is None:
            table.add_row(row.words, f" {row.bits}", " –", " does not fit")
        else:
            table.add_row(row.words, f" {row.bits}", f" {row.error:.1e}", f" {row.relative:.1e}")
    refused = [f"\n{row.words}: {row.refused}" for row in rows if row.refused is not None]
    return table, (
        "Against double: N·m (or N) at worst, and over the largest torque. "
        f"fixed:24.14 has 24 bits in all, 14 after the point.{''.join(refused)}"
    )


def bus_table(routing: Routing) -> Noted:
    """How full the tiers of the bus are."""
    table = console.table(
        f"mostly-local bus: {len(routing.bus.spans)} tiers, {routing.transfers} transfers a cycle",
        (),
        ("tier", " segments", " chips along one", " in use"),
    )
    for tier, (span, used) in enumerate(zip(routing.bus.spans, routing.usage, strict=True)):
        along = min(span, routing.bus.chips)
        table.add_row(f"{tier}", f" {routing.bus.segments(tier)}", f" {along}", f" {used:.0%}")
    return table, f"No routing between these places has a cycle shorter than {routing.least} Flops."


def faults_table(array: ChipArray, survival: Survival) -> Noted:
    """What broke and who found it."""
    table = console.table(
        f"{len(survival.faults)} faults, {len(survival.found)} found, "
        f"{'survived' if survival.survived else 'not survived'}",
        ("chip", " work", " fault"),
        (" from cycle", " found after", " reported"),
    )
    for fault in survival.faults:
        delay = survival.delay(fault)
        table.add_row(
            f"{fault.number}",
            f" {role(array, fault)}",
            f" {fault.kind}",
            f" {fault.cycle}",
            " –" if delay is None else f" {delay}",
            " yes" if fault.number in survival.reported else " no",
        )
    accused = ", ".join(map(str, survival.accused))
    return table, (
        f"A sweep over the longest chain takes {survival.sweep} cycles. Of {survival.sets} sets, "
        f"{len(survival.wrong)} came out wrong. A chip whose results are right all the same, or "
        "that breaks while another has its place, is not found."
        + (f" Sound chips taken out by broken ones: {accused}." if accused else "")
    )


def role(array: ChipArray, fault: Fault) -> str:
    """What the chip that broke was for; chips are numbered from 1 by socket."""
    return array.board.first_duties[fault.number - 1].role


def facts(trial: Trial) -> dict[str, Any]:
    """The same for programs."""
    board, routing, survival = trial.array.board, trial.array.routing, trial.survival
    found: dict[str, Any] = {
        "model": trial.array.mechanism.name,
        **trial.asked,
        "chips": board.chips,
        "spares": len(board.chains),
        "cycle": board.cycle,
        "interval": board.interval,
        "latency": board.latency,
        "buffers": board.buffers,
        "input_buffers": board.input_buffers,
        "packets": trial.packets,
        "programming_cycles": trial.programming,
        "formats": [asdict(row) for row in trial.rows],
        "seconds": {"torques": trial.seconds[0], "faults": trial.seconds[1]},
    }
    if routing is not None:
        found["bus"] = {
            "tiers": len(routing.bus.spans),
            "transfers": routing.transfers,
            "least_cycle": routing.least,
            "usage": list(routing.usage),
        }
    if survival is not None:
        found["faults"] = {
            "sweep": survival.sweep,
            "sets": survival.sets,
            "wrong_sets": len(survival.wrong),
            "survived": survival.survived,
            "accused": list(survival.accused),
            "injected": [
                asdict(fault)
                | {
                    "role": role(trial.array, fault),
                    "found_after": survival.delay(fault),
                    "reported": fault.number in survival.reported,
                }
                for fault in survival.faults
            ],
        }
    return found

"""``phalanx chip``: does an emulated chip compute the right torque?"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phalanx.cli.states import Array
    from phalanx.mechanism import Mechanism
    from phalanx.multiprocessor.chip import ChipArray, Fault, Precision, Routing, Survival

MOST_SETS = 1000

Noted = tuple[Any, str]  # a table, and what to say below it


@dataclass(frozen=True)
class Built:
    """How the chips are put together."""

    kind: Annotated[
        str,
        OneOf(
            "phalanx.multiprocessor.chip.array:KINDS",
            words={"linear": "joint after joint", "logarithmic": "segments, as the source"},
            checked=False,
        ),
        typer.Option(help="How joints are combined: {either}.", metavar="KIND"),
    ] = "linear"
    period: Annotated[
        int,
        typer.Option(
            min=0,
            max=1000,
            help="Cycles from one set to the next. With 1 each operation has a chip; with more, "
            "chips are shared; 0 is one set at a time, with the fewest chips.",
        ),
    ] = 1
    bus: Annotated[
        bool,
        typer.Option(
            "--bus", help="Results travel on a mostly-local bus, instead of wires of their own."
        ),
    ] = False
    faults: Annotated[
        int,
        typer.Option(min=0, max=64, help="Chips that break, each in a chain with a spare."),
    ] = 0

    def array(self, mechanism: Mechanism) -> ChipArray:
        """The chips, programmed for a machine.

        Raises:
            UnknownName: There is no such kind.
            InvalidModel: The machine is no chain.
        """
        from phalanx.errors import UnknownName
        from phalanx.multiprocessor.chip import chip_array
        from phalanx.multiprocessor.chip.array import KINDS

        if self.kind not in KINDS:
            raise UnknownName("phalanx chip", "kind", self.kind, KINDS)
        return chip_array(
            mechanism,
            KINDS[self.kind],
            period=self.period or None,
            spares=self.faults,
            bus=self.bus,
        )


@dataclass(frozen=True)
class Words:
    """How chips keep numbers."""

    number_format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="double, single, fixed:24 (bits in all, the point where the largest value "
            "allows), or fixed:32.16 (bits in all, bits after the point).",
        ),
    ] = "double"
    formats: Annotated[
        bool, typer.Option("--formats", help="Compare formats, from fixed:16 to double.")
    ] = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that are wanted, the one that was asked for first."""
        from phalanx.multiprocessor.chip.precision import FORMATS

        others = FORMATS if self.formats else ()
        return (self.number_format, *(name for name in others if name != self.number_format))


@dataclass(frozen=True)
class Motions:
    """What the arm does."""

    sets: Annotated[int, typer.Option(min=1, max=MOST_SETS, help="Motions, drawn at random.")] = 3
    seed: Annotated[int, typer.Option(min=0, help="Of motions and faults.")] = 0

    def draw(self, mechanism: Mechanism) -> tuple[Array, Array, Array]:
        """Positions within limits; velocities and accelerations normal with width 1."""
        import numpy as np

        rng = np.random.default_rng(self.seed)
        q = mechanism.random_positions(self.sets, rng)
        shape = (self.sets, mechanism.nv)
        return q, rng.standard_normal(shape), rng.standard_normal(shape)


@dataclass(frozen=True)
class Trial:
    """What one run of the command found.

    Attributes:
        array: The chips.
        packets: Written to program them.
        programming: Cycles that this took.
        rows: Formats and their errors.
        survival: What became of faults; None without any.
        seconds: Time to emulate the sets in the first format, and the faults.
    """

    array: ChipArray
    packets: int
    programming: int
    rows: Sequence[Precision]
    survival: Survival | None
    seconds: tuple[float, float]


def chip(
    model: Model,
    *,
    built: Built,
    words: Words,
    motions: Motions,
    json: Json = False,
    loading: Loading,
) -> None:
    """Run inverse dynamics on emulated chips: does the torque come out right?

    A chip adds and multiplies vectors. Each operation of the inverse dynamics gets one, chips are
    wired to a board, and a host writes their programs over the data wires. Then motions go through,
    one close behind the other, and torques are compared with those that Phalanx computes in double.

    With --faults, chips check their neighbours in turn. Some break; those who find out take their
    place. A fault costs wrong torques until it is found.

    phalanx chip puma560

    phalanx chip puma560 --kind logarithmic --formats

    phalanx chip robot:ur5_robot --format fixed:24 --faults 2 --sets 3 --seed 1

    phalanx chip puma560 --period 0

    phalanx chip stanford --bus --json
    """
    mechanism = loading.find(model)
    with console.err().status("Wiring chips …") as status:
        array = built.array(mechanism)
        trial = tried(array, words.names, motions, lambda what: status.update(f"{what} …"))
    if json:
        console.say_json(facts(trial, built, motions))
        return
    show(trial, built)


def tried(array: ChipArray, formats: Sequence[str], motions: Motions, progress: Any) -> Trial:
    """Torques in all formats, and what faults do.

    Raises:
        TooNarrow: A value does not fit into the first format.
    """
    from phalanx.dynamics import Dynamics
    from phalanx.errors import InvalidInput
    from phalanx.multiprocessor.chip import Double, Host, Network, precision

    host = Host(Network(array.board, Double()))
    packets, programming = len(host.packets()), host.program()
    progress("Torques in double, for comparison")
    q, v, a = motions.draw(array.mechanism)
    expected = Dynamics(array.mechanism).inverse_dynamics(q, v, a)
    rows = []
    begin = perf_counter()
    for name in formats:
        progress(f"Chips with words in {name}")
        rows += precision(array, q, v, a, expected, [name])
        if len(rows) == 1:
            emulated = perf_counter() - begin
            if rows[0].refused is not None:
                raise InvalidInput(rows[0].refused)
    survival, begin = None, perf_counter()
    if array.board.chains:
        progress("Chips break")
        survival = broken(array, formats[0], motions.seed, array.host_values(q, v, a))
    return Trial(array, packets, programming, rows, survival, (emulated, perf_counter() - begin))


def broken(array: ChipArray, words: str, seed: int, values: Array) -> Survival:
    """A board whose chips break within the first sweep, one in each chain."""
    import numpy as np

    from phalanx.multiprocessor.chip import random_faults, survive, sweep_cycles

    board = array.board
    groups = [[1 + place for place in chain] for chain in board.chains]
    rng = np.random.default_rng(seed)
    faults = random_faults(groups, len(groups), sweep_cycles(board), rng)
    return survive(board, array.number_format(words, values), values, faults)


def show(trial: Trial, built: Built) -> None:
    """Tables for people, each with a note below."""
    parts = [board_table(trial, built), formats_table(trial.rows)]
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


def board_table(trial: Trial, built: Built) -> Noted:
    """The chips, their times, and what surrounds them."""
    from phalanx.multiprocessor.architectures.budgets import packages

    board = trial.array.board
    table = console.table(
        f"inverse dynamics of {trial.array.mechanism.name} on chips, {built.kind}", ("", " "), ()
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


def facts(trial: Trial, built: Built, motions: Motions) -> dict[str, Any]:
    """The same for programs."""
    from dataclasses import asdict

    board, routing, survival = trial.array.board, trial.array.routing, trial.survival
    found: dict[str, Any] = {
        "model": trial.array.mechanism.name,
        "kind": built.kind,
        "sets": motions.sets,
        "seed": motions.seed,
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

"""``phalanx identify``: inertial parameters from measured torques."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Facts
from phalanx.cli import console
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from phalanx.mechanism import Mechanism

Data = Annotated[
    Path | None,
    typer.Argument(
        metavar="DATA",
        help="Measurements: a table (.csv or .parquet) of time, positions, velocities, "
        "accelerations and torques, with the header that phalanx trajectory --save writes.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class EstimateOptions:
    """Parameters to estimate, and data for validation."""

    terms: Annotated[
        str,
        typer.Option(
            help="Joint parameters to estimate beside the inertias of bodies, separated by commas: "
            "rotor_inertia, damping, friction.",
            metavar="NAMES",
        ),
    ] = ""
    check: Annotated[
        Path | None,
        typer.Option(
            help="Other measurements, for validation: print the error of predicted torques.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class ExcitationOptions:
    """Excitation trajectory to measure on."""

    panel: ClassVar = "Excitation trajectory"

    excite: Annotated[
        Path | None,
        Writes((".csv",)),
        typer.Option(
            help="Write an excitation trajectory for all parameters to a .csv file.",
            show_default=False,
        ),
    ] = None
    velocity_limit: Annotated[
        float | None,
        typer.Option(
            help="Velocity limit of joints [rad/s or m/s]. Default: that of the model.",
            show_default=False,
        ),
    ] = None
    acceleration_limit: Annotated[
        float, typer.Option(help="Acceleration limit of joints [rad/s² or m/s²].")
    ] = 5.0
    period: Annotated[float, typer.Option(help="Period of the trajectory [s].")] = 10.0
    step: Annotated[float, typer.Option(help="Time step of the rows [s].")] = 0.01


def identify(
    model: Model,
    data: Data = None,
    *,
    estimate: EstimateOptions,
    motion: ExcitationOptions,
    json: Json = False,
    loading: Loading,
) -> None:
    """Estimate inertial parameters from measured torques.

    With --excite, write an excitation trajectory for the measurement instead.

    Examples:
        phalanx identify puma560 --excite motion.csv --acceleration-limit 6
        phalanx identify puma560 measured.csv
        phalanx identify puma560 measured.csv --terms damping,friction --check b.csv
    """
    if (data is None) == (motion.excite is None):
        came = "neither was given" if data is None else "both were given"
        raise InvalidInput(f"identify needs a file with data, or --excite; {came}.")
    terms = [name.strip() for name in estimate.terms.split(",") if name.strip()]
    if motion.excite is not None:
        _excite(loading.find(model), motion, terms, json)
        return
    mechanism = loading.find(model)
    from phalanx.identification import identify as estimated
    from phalanx.identification import read_measured

    assert data is not None
    rows = read_measured(data, mechanism)
    found = estimated(mechanism, rows.q, rows.v, rows.a, rows.tau, terms=terms)
    fit = found.check(rows.q, rows.v, rows.a, rows.tau)
    if estimate.check is not None:
        other = read_measured(estimate.check, mechanism)
        fit = found.check(other.q, other.v, other.a, other.tau)
    data_of = "these data" if estimate.check is None else str(estimate.check)
    console.print_facts(found.facts(fit, data_of), json)


def _excite(mechanism: Mechanism, motion: ExcitationOptions, terms: list[str], json: bool) -> None:
    from phalanx.identification import excitation
    from phalanx.planning import write_rows

    assert motion.excite is not None
    made = excitation(
        mechanism,
        period=motion.period,
        velocity_limit=motion.velocity_limit,
        acceleration_limit=motion.acceleration_limit,
        terms=terms,
    )
    rows = made.path.sample(motion.step)
    write_rows(rows, motion.excite, mechanism)
    line = (
        f"{len(rows):,} rows written to {motion.excite}, {rows.duration:g} s. Condition number "
        f"of {len(made.base)} base parameters: {made.condition:.3g} (random motion: "
        f"{made.at_random:.3g})."
    )
    values = {"condition": made.condition, "base": list(made.base.expressions)}
    console.print_facts(Facts([line], values), json)

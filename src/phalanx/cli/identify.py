"""``phalanx identify``: parameters of a machine from its measured torques."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phalanx.base.errors import InvalidInput
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
        help="A table of time, positions, velocities, accelerations and torques, .csv or .parquet, "
        "with a header as `phalanx trajectory --save` writes it.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class EstimateOptions:
    """What is estimated, and checked against."""

    terms: Annotated[
        str,
        typer.Option(
            help="Of joints, beside the inertias of bodies: rotor_inertia, damping, friction, with "
            "commas between them.",
            metavar="NAMES",
        ),
    ] = ""
    check: Annotated[
        Path | None,
        typer.Option(help="Other data, on which torques are predicted.", show_default=False),
    ] = None


@dataclass(frozen=True)
class ExcitationOptions:
    """A motion to measure on, instead of data."""

    excite: Annotated[
        Path | None,
        Writes((".csv",)),
        typer.Option(help="Write a motion that shows all parameters, as .csv.", show_default=False),
    ] = None
    velocity_limit: Annotated[
        float | None,
        typer.Option(help="Of joints [rad/s or m/s]; that of the model.", show_default=False),
    ] = None
    acceleration_limit: Annotated[float, typer.Option(help="Of joints [rad/s² or m/s²].")] = 5.0
    period: Annotated[float, typer.Option(help="How long the motion takes [s].")] = 10.0
    step: Annotated[float, typer.Option(help="Time between rows [s].")] = 0.01


def identify(
    model: Model,
    data: Data = None,
    *,
    loading: Loading,
    estimate: EstimateOptions,
    exciting: ExcitationOptions,
    json: Json = False,
) -> None:
    """Find the parameters of a machine from its torques, or a motion that shows them.

    phalanx identify puma560 --excite motion.csv --acceleration-limit 6

    phalanx identify puma560 measured.csv --terms damping,friction --check others.csv
    """
    if (data is None) == (exciting.excite is None):
        came = "neither was given" if data is None else "both were given"
        raise InvalidInput(f"identify needs a file with data, or --excite; {came}.")
    terms = [name.strip() for name in estimate.terms.split(",") if name.strip()]
    if exciting.excite is not None:
        _excite(loading.find(model), exciting, terms, json)
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
    console.say(found.facts(fit, data_of), json)


def _excite(
    mechanism: Mechanism, exciting: ExcitationOptions, terms: list[str], json: bool
) -> None:
    from phalanx.identification import excitation
    from phalanx.planning import write_rows

    assert exciting.excite is not None
    made = excitation(
        mechanism,
        period=exciting.period,
        velocity_limit=exciting.velocity_limit,
        acceleration_limit=exciting.acceleration_limit,
        terms=terms,
    )
    rows = made.path.sample(exciting.step)
    write_rows(rows, exciting.excite, mechanism)
    if json:
        console.say_json({"condition": made.condition, "base": list(made.base.expressions)})
        return
    console.out().print(
        f"{len(rows):,} rows in {exciting.excite}, {rows.duration:g} s. Condition number of "
        f"{len(made.base)} base parameters: {made.condition:.3g} ({made.at_random:.3g} at random).",
        soft_wrap=True,
        markup=False,
    )

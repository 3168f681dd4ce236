"""``phalanx linearize``: natural frequencies and sampling period of a machine at rest."""

from __future__ import annotations

from typing import Annotated

import typer

from phalanx.base.facts import Fact, Facts
from phalanx.cli import console
from phalanx.cli.controls import ControlOptions, ForceOptions
from phalanx.cli.metavariables import LIST
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Json


def linearize(
    model: Model,
    *,
    q: Annotated[
        str | None,
        typer.Option(
            help="Posture [rad or m], one for each coordinate or one for all. Default: zero.",
            show_default=False,
            metavar=LIST,
        ),
    ] = None,
    control: ControlOptions,
    forces: ForceOptions,
    hold: Annotated[
        bool,
        typer.Option("--hold", help="Add the constant joint forces that keep the posture at rest."),
    ] = False,
    samples: Annotated[
        float,
        typer.Option(
            "--samples-per-period",
            help="Samples in a period of the highest natural frequency.",
        ),
    ] = 20.0,
    json: Json = False,
    loading: Loading,
) -> None:
    """Print natural frequencies, eigenvalues and the sampling period of a machine at rest.

    The machine is linearised with its control about a posture that stays at rest. The sampling
    period is 1/(20 f), with f the highest natural frequency.

    Examples:
        phalanx linearize double_pendulum
        phalanx linearize puma560 --control pd --stiffness 2000 --damping 100 --hold

        # a machine with loops, held by its motors
        phalanx linearize five_bar --control pd --stiffness 50 --hold --json
    """
    from phalanx.base.errors import InvalidInput
    from phalanx.cli.controls import one_each
    from phalanx.simulation.run.linearization import linearize as linearized
    from phalanx.simulation.setup.setup import DEFAULT_FORCES

    mechanism = loading.find(model)
    near = linearized(
        mechanism,
        one_each("q", q, mechanism.nq),
        control=control.law(mechanism),
        forces=forces.chosen(DEFAULT_FORCES),
        hold=hold,
    )
    found = near.facts()
    try:
        period = near.sampling_period(samples)
    except InvalidInput as error:
        console.print_facts(found + Facts([], {"sampling_period": None}), json)
        console.print_warning(f"no sampling period: {error}")
        return
    text = f"{period:.4g} s ({1 / period:.4g} Hz), {samples:g} samples a period"
    console.print_facts(
        found + Facts(["", Fact("sampling period", text, {"sampling_period": period})]), json
    )

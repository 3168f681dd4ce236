"""What options say of a run, in the place of what its scenario says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.base.errors import InvalidInput
from phalanx.cli.controls import (
    ControlOptions,
    ForceOptions,
    Integrator,
    StartOptions,
    chosen_integrator,
)
from phalanx.cli.metavariables import NAMES
from phalanx.cli.outputs import Writes

if TYPE_CHECKING:
    from phalanx.simulation.scenario.scenario import Scenario


@dataclass(frozen=True)
class LengthOptions:
    """How long a run is, and its steps."""

    duration: Annotated[
        float | None, typer.Option(help="Length of the run [s]; 10.", show_default=False)
    ] = None
    step: Annotated[
        float | None,
        typer.Option(help="Control period and integration step [s]; 1e-3.", show_default=False),
    ] = None


@dataclass(frozen=True)
class RecordOptions:
    """What is kept of a run."""

    record: Annotated[
        Path | None,
        Writes((".mcap",)),
        typer.Option(help="Write the run to an .mcap file.", show_default=False),
    ] = None
    report: Annotated[
        Path | None,
        Writes(inside="report.html"),
        typer.Option(
            help="Write a page with plots into this folder.", metavar="FOLDER", show_default=False
        ),
    ] = None
    every: Annotated[
        int | None,
        typer.Option(min=1, help="Record every so many steps; 1.", show_default=False),
    ] = None
    joints: Annotated[
        str | None,
        typer.Option(
            help="Record these joints alone: joint_1,joint_9; an empty text for none.",
            metavar=NAMES,
            show_default=False,
        ),
    ] = None
    bodies: Annotated[
        str | None,
        typer.Option(
            help="Also record where these bodies are: link_1,link_5000.",
            metavar=NAMES,
            show_default=False,
        ),
    ] = None
    rates: Annotated[
        bool | None,
        typer.Option(
            "--rates",
            help="Record accelerations and rates of pressures too.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What takes the place of the scenario's own where it is given."""

    length: LengthOptions
    steering: ControlOptions
    integrator: Integrator = None
    loads: ForceOptions
    start: StartOptions
    kept: RecordOptions

    def of(self, scenario: Scenario) -> Scenario:
        """The scenario with these changes.

        Raises:
            InvalidInput: When they do not fit it.
        """
        if self.steering.control is not None and scenario.actuation is not None:
            raise InvalidInput(
                "--control gives joint forces; the machine of this scenario is moved by its "
                "actuation, whose commands come from the scenario's own control."
            )
        law = self.steering.law(scenario.mechanism)
        q0, v0 = self.start.of(scenario.mechanism)
        given: dict[str, Any] = {
            **vars(self.length),
            **vars(self.kept),
            "joints": _names(self.kept.joints),
            "bodies": _names(self.kept.bodies),
            "control": law,
            "integrator": chosen_integrator(self.integrator),
            "forces": self.loads.chosen(scenario.forces),
            "q0": q0,
            "v0": v0,
        }
        changed = replace(
            scenario, **{key: value for key, value in given.items() if value is not None}
        )
        no_law = self.steering.control is not None and law is None
        return replace(changed, control=None) if no_law else changed


def _names(text: str | None) -> list[str] | None:
    """Names between commas; None where nothing is said."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]

"""Options of `phalanx simulate` that replace settings of a scenario."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

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
    """Duration and step of a run."""

    duration: Annotated[
        float | None, typer.Option(help="Duration of the run [s]. Default: 10.", show_default=False)
    ] = None
    step: Annotated[
        float | None,
        typer.Option(
            help="Control period and integration step [s]. Default: 1e-3.", show_default=False
        ),
    ] = None


@dataclass(frozen=True)
class RecordOptions:
    """Recording and report of a run."""

    panel: ClassVar = "Recording"

    record: Annotated[
        Path | None,
        Writes((".mcap",)),
        typer.Option(help="Write the recording to an .mcap file.", show_default=False),
    ] = None
    report: Annotated[
        Path | None,
        Writes(inside="report.html"),
        typer.Option(
            help="Write a page with plots, report.html, into this folder.",
            metavar="FOLDER",
            show_default=False,
        ),
    ] = None
    every: Annotated[
        int | None,
        typer.Option(min=1, help="Record every N-th step. Default: 1.", show_default=False),
    ] = None
    joints: Annotated[
        str | None,
        typer.Option(
            help="Record only these joints (joint_1,joint_9); an empty text records none.",
            metavar=NAMES,
            show_default=False,
        ),
    ] = None
    bodies: Annotated[
        str | None,
        typer.Option(
            help="Also record the poses of these bodies (link_1,link_5000).",
            metavar=NAMES,
            show_default=False,
        ),
    ] = None
    rates: Annotated[
        bool | None,
        typer.Option(
            "--rates",
            help="Also record accelerations and rates of pressures.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Settings that replace those of the scenario."""

    length: LengthOptions
    control: ControlOptions
    integrator: Integrator = None
    forces: ForceOptions
    start: StartOptions
    recording: RecordOptions

    def of(self, scenario: Scenario) -> Scenario:
        """Return the scenario with these changes.

        Raises:
            InvalidInput: When they do not fit it.
        """
        if self.control.control is not None and scenario.actuation is not None:
            raise InvalidInput(
                "--control gives joint forces; the machine of this scenario is moved by its "
                "actuation, whose commands come from the scenario's own control."
            )
        law = self.control.law(scenario.mechanism)
        q0, v0 = self.start.of(scenario.mechanism)
        given: dict[str, Any] = {
            **vars(self.length),
            **vars(self.recording),
            "joints": _names(self.recording.joints),
            "bodies": _names(self.recording.bodies),
            "control": law,
            "integrator": chosen_integrator(self.integrator),
            "forces": self.forces.chosen(scenario.forces),
            "q0": q0,
            "v0": v0,
        }
        changed = replace(
            scenario, **{key: value for key, value in given.items() if value is not None}
        )
        no_law = self.control.control is not None and law is None
        return replace(changed, control=None) if no_law else changed


def _names(text: str | None) -> list[str] | None:
    """Return names separated by commas, None for None."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]

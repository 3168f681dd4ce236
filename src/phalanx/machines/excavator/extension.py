"""Extension with the excavator's part of scenarios, reports and commands; loaded on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.simulation.extensions import Extension, Findings, SpecialMachine

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from phalanx.simulation.record.recording import Recording
    from phalanx.simulation.scenario.section import Section


def _read(top: Section, step: float | None) -> SpecialMachine:
    from phalanx.machines.excavator.scenario import read_excavator

    return read_excavator(top, step)


def _fits(recording: Recording) -> bool:
    from phalanx.machines.excavator.summary_figures import is_excavator

    return is_excavator(recording)


def _trends(recording: Recording) -> dict[str, str]:
    from phalanx.machines.excavator.summary_figures import ExcavatorSummary

    return ExcavatorSummary(recording).described()


def _figures(recording: Recording) -> dict[str, Figure]:
    from phalanx.machines.excavator.figures import excavator_figures

    return excavator_figures(recording)


EXTENSION = Extension(
    tables=("excavator", "operator"),
    read=_read,
    findings=Findings(
        _fits,
        _trends,
        _figures,
        # what the figures show, and what control keeps for itself
        shown=(
            *("q", "desired", "seen", "error_sum", "voltage", "spool", "next_sample", "command"),
            *("pressure", "pressure_in", "pressure_out", "soil_load"),
        ),
    ),
    commands=("phalanx.cli.excavator:excavator", "phalanx.cli.excavator_fleet:excavator_fleet"),
)

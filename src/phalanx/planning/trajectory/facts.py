"""Facts of a trajectory: peak torques, violated limits, possible speed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from phalanx.base.errors import PhalanxError
from phalanx.base.facts import Facts, Part, Styled, TextTable
from phalanx.planning.trajectory.peaks import joint_peaks
from phalanx.planning.trajectory.scaling import uniform_scaling
from phalanx.planning.trajectory.table import TrajectoryTable

SHOWN = 12  # violations


def trajectory_facts(table: TrajectoryTable, retiming: str = "") -> Facts:
    """Return peak torques and speeds, violations and possible speed.

    Args:
        table: The rows.
        retiming: Note on the change of timing.
    """
    parts: list[Part] = [_peaks(table)]
    if retiming:
        parts += ["", retiming]
    found = table.violations
    if found:
        parts += ["", Styled(f"{len(found)} beyond limits:", "bold red")]
        parts += [f"  {one}" for one in found[:SHOWN]]
        if len(found) > SHOWN:
            parts.append(f"  … and {len(found) - SHOWN} more")
    else:
        parts += ["", "All limits are kept."]
    scaling = _possible_scaling(table)
    parts.append(f"Uniform scaling: {scaling}.")
    return Facts(
        parts,
        {
            "machine": table.mechanism.name,
            "rows": len(table),
            "step": table.step,
            "duration": table.rows.duration,
            "retiming": retiming,
            "uniform_scaling": scaling,
            "violations": [asdict(one) for one in found],
        },
    )


def _peaks(table: TrajectoryTable) -> TextTable:
    peaks = joint_peaks(table)
    shares = [f"{peak.share:.0%}" if peak.share else "" for peak in peaks]
    return TextTable(
        f"{table.mechanism.name}: {len(table):,} rows at {table.step:g} s, "
        f"{table.rows.duration:.4g} s long",
        ["joint"],
        [f"  {head}" for head in ("torque", "limit", "share", "at", "speed", "limit")],
        [
            (
                peak.joint,
                f"{peak.torque:.4g}",
                _limit(peak.limit),
                Styled(share, "bold red") if peak.share > 1 else share,
                f"{peak.time:.3f} s",
                f"{peak.velocity:.3g}",
                _limit(peak.velocity_limit),
            )
            for peak, share in zip(peaks, shares, strict=True)
        ],
        values={"peaks": [_without_infinities(asdict(peak)) for peak in peaks]},
    )


def _possible_scaling(table: TrajectoryTable) -> str:
    """Return the uniform scaling as text, or why there is none."""
    try:
        return str(uniform_scaling(table.dynamics, table.rows, table.limits))
    except PhalanxError as error:
        return str(error).rstrip(".")


def _limit(value: float) -> str:
    return f"{value:.4g}" if abs(value) < float("inf") else "none"


def _without_infinities(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity."""
    infinities = (float("inf"), -float("inf"))
    return {name: None if value in infinities else value for name, value in values.items()}

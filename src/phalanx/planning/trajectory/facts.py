"""Facts of a trajectory's rows: peaks, violations, and the speed that is possible."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from phalanx.base.errors import PhalanxError
from phalanx.base.facts import Facts, Part, Styled, TextTable
from phalanx.planning.trajectory.peaks import joint_peaks
from phalanx.planning.trajectory.scaling import uniform_scaling
from phalanx.planning.trajectory.table import TrajectoryRegister

SHOWN = 12  # violations


def trajectory_facts(register: TrajectoryRegister, retiming: str = "") -> Facts:
    """Peaks, violations and what speed is possible.

    Args:
        register: The rows.
        retiming: What became of them when they were timed anew.
    """
    parts: list[Part] = [_peaks(register)]
    if retiming:
        parts += ["", retiming]
    found = register.violations
    if found:
        parts += ["", Styled(f"{len(found)} beyond limits:", "bold red")]
        parts += [f"  {one}" for one in found[:SHOWN]]
        if len(found) > SHOWN:
            parts.append(f"  … and {len(found) - SHOWN} more")
    else:
        parts += ["", "All limits are kept."]
    scaling = _possible_scaling(register)
    parts.append(f"Uniform scaling: {scaling}.")
    return Facts(
        parts,
        {
            "machine": register.mechanism.name,
            "rows": len(register),
            "step": register.step,
            "duration": register.rows.duration,
            "retiming": retiming,
            "uniform_scaling": scaling,
            "violations": [asdict(one) for one in found],
        },
    )


def _peaks(register: TrajectoryRegister) -> TextTable:
    peaks = joint_peaks(register)
    shares = [f"{peak.share:.0%}" if peak.share else "" for peak in peaks]
    return TextTable(
        f"{register.mechanism.name}: {len(register):,} rows at {register.step:g} s, "
        f"{register.rows.duration:.4g} s in all",
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


def _possible_scaling(register: TrajectoryRegister) -> str:
    """Describe the speed that a path allows, or why there is none."""
    try:
        return str(uniform_scaling(register.dynamics, register.rows, register.limits))
    except PhalanxError as error:
        return str(error).rstrip(".")


def _limit(value: float) -> str:
    return f"{value:.4g}" if abs(value) < float("inf") else "none"


def _without_infinities(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity."""
    infinities = (float("inf"), -float("inf"))
    return {name: None if value in infinities else value for name, value in values.items()}

"""What ``phalanx trajectory`` says of rows: peaks, violations, and the speed that is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx.base.errors import PhalanxError
from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.planning.trajectory import TrajectoryRegister

SHOWN = 12  # violations


def _advice(register: TrajectoryRegister) -> str:
    """What speed the path allows, in words; or why none."""
    from phalanx.planning.trajectory.scaling import uniform_scaling

    try:
        return str(uniform_scaling(register.dynamics, register.rows, register.limits))
    except PhalanxError as error:
        return str(error).rstrip(".")


def show(register: TrajectoryRegister, said: str) -> None:
    """Print peaks, violations and what speed is possible.

    Args:
        register: The rows.
        said: What became of them when they were timed anew.
    """
    from rich.text import Text

    from phalanx.planning.trajectory.peaks import joint_peaks

    rows = f"{len(register):,} rows at {register.step:g} s, {register.rows.duration:.4g} s in all"
    title = f"{register.mechanism.name}: {rows}"
    columns = ("torque", "limit", "share", "at", "speed", "limit")
    table = console.table(title, ("joint",), tuple(f"  {head}" for head in columns))
    for peak in joint_peaks(register):
        share = f"{peak.share:.0%}" if peak.share else ""
        table.add_row(
            peak.joint,
            f"{peak.torque:.4g}",
            _limit(peak.limit),
            Text(share, style="bold red") if peak.share > 1 else share,
            f"{peak.time:.3f} s",
            f"{peak.velocity:.3g}",
            _limit(peak.velocity_limit),
        )
    out = console.out()
    out.print(table)
    if said:
        out.print(f"\n{said}", soft_wrap=True, markup=False)
    found = register.violations
    if found:
        out.print(f"\n{len(found)} beyond limits:", style="bold red")
        for one in found[:SHOWN]:
            out.print(f"  {one}", soft_wrap=True, markup=False)
        if len(found) > SHOWN:
            out.print(f"  … and {len(found) - SHOWN} more")
    else:
        out.print("\nAll limits are kept.")
    out.print(f"Uniform scaling: {_advice(register)}.", soft_wrap=True, markup=False)


def _limit(value: float) -> str:
    return f"{value:.4g}" if abs(value) < float("inf") else "none"


def facts(register: TrajectoryRegister, said: str) -> dict[str, Any]:
    """The same for programs."""
    from dataclasses import asdict

    from phalanx.planning.trajectory.peaks import joint_peaks

    def plain(facts: dict[str, Any]) -> dict[str, Any]:
        # JSON has no infinity
        return {k: None if v in (float("inf"), -float("inf")) else v for k, v in facts.items()}

    return {
        "machine": register.mechanism.name,
        "rows": len(register),
        "step": register.step,
        "duration": register.rows.duration,
        "retiming": said,
        "uniform_scaling": _advice(register),
        "peaks": [plain(asdict(peak)) for peak in joint_peaks(register)],
        "violations": [asdict(one) for one in register.violations],
    }

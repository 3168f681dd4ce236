"""A run in a few numbers: where it ended, its energy, and what its machine has to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.simulation.record.recording import Recording
    from phalanx.simulation.scenario.scenario import Scenario


def show(scenario: Scenario, recording: Recording) -> None:
    """The run in a few numbers."""
    import numpy as np

    from phalanx.simulation.extensions import trends_of

    steps = round(recording.duration / scenario.step)
    wall, factor = (recording.settings.get(k) for k in ("wall_time", "real_time_factor"))
    if isinstance(wall, float) and isinstance(factor, float):
        console.err().print(
            f"{recording.duration:g} s in {steps:,} steps took {console.duration(wall)}: "
            f"{factor:.3g} times real time.",
            soft_wrap=True,
        )
    out = console.out()
    for name in ("q", "v", "position"):
        if name not in recording:
            continue
        signal = recording.signal(name)
        text = np.array2string(signal.values[-1], precision=6, max_line_width=100)
        out.print(f"[bold]{name}[/] {escape(f'[{signal.unit}]')} at {recording.time[-1]:g} s")
        out.print(text, markup=False, soft_wrap=True)
    energy = recording["energy"]
    out.print(
        f"[bold]energy[/] {energy[0]:.6g} J at first, {energy[-1]:.6g} J at last; balance:",
        soft_wrap=True,
    )
    out.print(str(recording.energy_balance()), markup=False, soft_wrap=True)
    for what, text in trends_of(recording).items():
        out.print(f"[bold]{escape(what)}[/]: {escape(text)}", soft_wrap=True)

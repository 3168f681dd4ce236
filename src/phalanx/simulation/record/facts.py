"""Facts of a recorded run: final state, energy balance, summary figures of its machine."""

from __future__ import annotations

import numpy as np

from phalanx.base.facts import Facts, Part, Styled
from phalanx.simulation.extensions import summary_of
from phalanx.simulation.record.recording import Recording


def recording_facts(recording: Recording) -> Facts:
    """Return the final state, energy balance and summary figures."""
    parts: list[Part] = []
    for name in ("q", "v", "position"):
        if name in recording:
            signal = recording.signal(name)
            text = f" [{signal.unit}] at {recording.time[-1]:g} s"
            parts += [
                (Styled(name, "bold"), text),
                np.array2string(signal.values[-1], precision=6, max_line_width=100),
            ]
    energy = recording["energy"]
    text = f" {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end; balance:"
    parts += [(Styled("energy", "bold"), text), str(recording.energy_balance())]
    parts += [(Styled(what, "bold"), f": {text}") for what, text in summary_of(recording).items()]
    return Facts(parts)

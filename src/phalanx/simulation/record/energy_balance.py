"""Energy balance of a recorded run: input, exchanged, lost and stored energy.

All lines are in the recording (see ``run/energy_lines.py``); here they are added up. What
remains between them is the error of the integration: it vanishes with the step, at the order of
the method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.simulation.record.signal import Array

if TYPE_CHECKING:
    from phalanx.simulation.record.recording import Recording

SIGNAL, EVENTS, OF_EVENTS = "energy_balance", "events", "event_energies"
KINDS = {"input": 1.0, "exchanged": 1.0, "lost": -1.0, "stored": -1.0}


@short_repr
@final
@dataclass(frozen=True)
class EnergyBalance:
    """Energies of a run by name [J], from its first sample to its last.

    ``Σ input + Σ exchanged - Σ lost + integration_error = Σ stored``

    Attributes:
        input: Work of drives, pumps and external wrenches on the machine.
        exchanged: What it gained from the ground and by events; negative where it gave some.
        lost: In damping, friction, valves.
        stored: What it holds more than at first: in motion, gravity, springs, stops, oil.
        integration_error: What the integration has added.
        largest_error: The largest size of this at any sample.
        turned_over: The widest range that any line went through.
    """

    input: Mapping[str, float]
    exchanged: Mapping[str, float]
    lost: Mapping[str, float]
    stored: Mapping[str, float]
    integration_error: float
    largest_error: float
    turned_over: float

    @property
    def relative_error(self) -> float:
        """Largest integration error over the energy turned over; 0 where nothing moved."""
        return self.largest_error / self.turned_over if self.turned_over else 0.0

    def rows(self) -> list[tuple[str, str, float]]:
        """Kind, name and energy [J] of each line, losses negative; those of nothing are left out.

        The stored ones are the sum of all others.
        """
        groups = {"input": self.input, "exchanged": self.exchanged}
        rows = [(kind, name, x) for kind, of in groups.items() for name, x in of.items() if x]
        rows += [("lost", name, -x) for name, x in self.lost.items() if x]
        rows.append(("", "integration error", self.integration_error))
        rows += [("stored", name, x) for name, x in self.stored.items() if x]
        return [*rows, ("", "stored in all", sum(self.stored.values()))]

    @property
    def headline(self) -> str:
        """The integration error in words."""
        return (
            f"{self.largest_error:.2g} J at most, {self.relative_error:.2g} of the "
            f"{self.turned_over:.4g} J turned over"
        )

    def __str__(self) -> str:
        """The table as text."""
        rows = self.rows()
        wide = max(len(name) for _, name, _ in rows)
        lines = [f"{kind:<10}{name:<{wide}} {x:>14.6g} J" for kind, name, x in rows]
        return "\n".join([*lines, f"integration error: {self.headline}"])


def energy_balance(recording: Recording) -> EnergyBalance:
    """The balance of a recording; see :meth:`Recording.energy_balance`."""
    error, table = integration_error(recording), recording[SIGNAL]
    groups: dict[str, dict[str, float]] = {kind: {} for kind in KINDS}
    for label, column in zip(recording.signal(SIGNAL).labels, table.T, strict=True):
        kind, name = label.split(".", 1)
        groups[kind][name] = float(column[-1] - column[0])
    groups["exchanged"] |= _by_event(recording, groups["exchanged"].pop(EVENTS, 0.0))
    return EnergyBalance(
        **groups,
        integration_error=float(error[-1]),
        largest_error=float(np.abs(error).max()),
        turned_over=float(np.ptp(table, axis=0).max()),
    )


def integration_error(recording: Recording) -> Array:
    """Energy that the integration has added since the first sample [J], shape (T,).

    Raises:
        InvalidInput: When the recording has no balance, or no samples.
    """
    if SIGNAL not in recording or not len(recording):
        raise InvalidInput(
            f"{recording!r} has no energy balance; expected samples of a run by simulate() or "
            f"LiveRun, with the signal '{SIGNAL}'."
        )
    signal = recording.signal(SIGNAL)
    signs = np.array([KINDS[label.split(".", 1)[0]] for label in signal.labels])
    return np.asarray(-((signal.values - signal.values[0]) @ signs))


def _by_event(recording: Recording, total: float) -> dict[str, float]:
    """What each event has brought, where the recording says it; all of them else."""
    events: Any = recording.settings.get(OF_EVENTS, ())
    named: dict[str, float] = {}
    for event in events:
        if recording.time[0] < event["time"] <= recording.time[-1]:
            named[f"{event['name']} at {event['time']:g} s"] = event["energy"]
    rest = total - sum(named.values())
    return named if np.isclose(rest, 0, atol=1e-9 * abs(total)) else {EVENTS: total}

"""Number of steps of a duration, and their segments between events."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from phalanx.base.arguments import whole
from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.simulation.setup.events import Event

MOST_STEPS = 2**53  # beyond this, the time after a step is that before it


def whole_steps(duration: float, step: float) -> int:
    """How many steps a duration has.

    Raises:
        InvalidInput: When either is no positive time, or the steps do not fill the duration.
    """
    if not (math.isfinite(step) and step > 0 and math.isfinite(duration) and duration > 0):
        raise InvalidInput(f"duration={duration} and step={step} must be positive times [s].")
    if duration / step > MOST_STEPS:
        raise InvalidInput(
            f"a duration of {duration:g} s has {duration / step:.3g} steps of {step:g} s; "
            f"expected {MOST_STEPS:g} at most."
        )
    steps = max(1, round(duration / step))
    if abs(steps * step - duration) > 1e-6 * duration:
        raise InvalidInput(
            f"a duration of {duration} s is not a whole number of steps of {step} s; "
            f"take {steps * step:g} s."
        )
    return steps


def count_of_steps(duration: float | None, steps: int | None, step: float) -> int:
    """How many steps a run has that is given a duration [s] or a number of steps.

    Raises:
        InvalidInput: When neither is given, or both, or one that cannot be.
    """
    if duration is None and steps is None:
        raise InvalidInput("how long is the run? Give duration= [s] or steps=.")
    if duration is None:
        return whole("steps", steps)
    if steps is None:
        return whole_steps(duration, step)
    raise InvalidInput(f"duration={duration} and steps={steps} exclude each other; give one.")


def segments_between_events(
    mechanism: Mechanism, events: Sequence[Event], steps: float, step: float
) -> Iterator[tuple[int, float, Mechanism]]:
    """First and last step between events, each with the machine as it then is."""
    first = 0
    for event in sorted(events, key=lambda event: event.time):
        at = int(min(steps, round(event.time / step)))
        if at > first:
            yield first, at, mechanism
        first = max(first, at)
        mechanism = event.apply(mechanism)
    if first < steps:
        yield first, steps, mechanism

"""Memory check of a recording, before the run."""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.base.errors import InvalidInput
from phalanx.simulation.record.signal import Channel

# of a recording in memory [byte]
LARGEST = 2e9


def check_recording_size(channels: Sequence[Channel], samples: float) -> None:
    """Raise InvalidInput when a recording would fill the memory."""
    width = 1 + sum(channel.width for channel in channels)
    size = 8.0 * width * (samples + 1)
    if size > LARGEST:
        raise InvalidInput(
            f"recording {samples:.0f} samples of {width} numbers takes {size / 1e9:.1f} GB, more "
            f"than {LARGEST / 1e9:g} GB. Record chosen joints (joints=[...], or () for none), "
            "where chosen bodies are (bodies=[...]), or every k-th step (every=k)."
        )

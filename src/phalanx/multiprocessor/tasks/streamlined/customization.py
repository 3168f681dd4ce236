"""Customization: how much of a machine's numbers goes into its tasks."""

from __future__ import annotations

from enum import StrEnum


class Customization(StrEnum):
    """Which zeros make operations fall away."""

    GENERAL = "general"
    """None: the tasks of every arm with as many joints, whatever its numbers."""

    OFFSETS = "offsets"
    """Zeros of the offsets s and p, as the source customises its arms (tables 4.4 to 4.7)."""

    FULL = "full"
    """All of them, and what no joint force needs falls away, too."""

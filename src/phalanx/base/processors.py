"""Number of processors that this process may use."""

from __future__ import annotations

import os


def usable_processors() -> int:
    """Return the processors that this process may use, or all where the system does not say."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

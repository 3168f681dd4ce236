"""Available memory, and a check whether something fits."""

from __future__ import annotations

import os
from pathlib import Path

from phalanx.base.errors import InvalidInput

# a machine that swaps is slower than one that says no
USABLE_MEMORY = 0.8


def check_memory(what: str, wanted: float, advice: str, count: int | None = None) -> None:
    """Refuse what would not fit, before the machine starts to swap.

    Args:
        what: In words, in the plural.
        wanted: Memory that it needs [byte].
        advice: What to do about it.
        count: How many there are, where memory grows with them: the message says how many fit.

    Raises:
        InvalidInput: When ``wanted`` bytes are not available.
    """
    free = available_memory()
    if free is not None and wanted > USABLE_MEMORY * free:
        fit = "" if count is None else f"About {int(count * USABLE_MEMORY * free / wanted):,} fit. "
        raise InvalidInput(
            f"{what} need {bytes_text(wanted)} of memory, and {bytes_text(free)} are available. "
            f"{fit}{advice}"
        )


def available_memory() -> int | None:
    """Memory that can be had without swapping [byte]; None when the system does not say."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def bytes_text(size: float) -> str:
    """Like ``1.5 GB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.4g} TB"

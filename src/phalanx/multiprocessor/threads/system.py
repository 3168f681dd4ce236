"""Thread affinity and cache-aligned memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from phalanx.kernel.parallel.shared_memory import LINE_BYTES


@contextlib.contextmanager
def on_processor(processor: int) -> Iterator[None]:
    """Keep the calling thread on one of the processors this process may use, where that is let."""
    before = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else set()
    places = sorted(before)
    try:
        if places:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, {places[processor % len(places)]})
        yield
    finally:
        if places:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, before)


def aligned(words: int) -> NDArray[np.float64]:
    """Zeros that start at a cache line."""
    extra = LINE_BYTES // 8
    memory = np.zeros(words + extra)
    start = -memory.ctypes.data % LINE_BYTES // 8
    return memory[start : start + words]

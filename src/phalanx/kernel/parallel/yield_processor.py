"""Yield (``sched_yield``) for threads that wait in native code."""

from __future__ import annotations

import ctypes
import sys

# the name under which machine code imports it
YIELD = "phalanx_yield"

# what a processor of each family does while it looks at a line again and again
PAUSE = {"avx512": "pause", "avx2": "pause", "sse2": "pause", "neon": "yield"}


def yield_address() -> int:
    """Return the address of the system's function that yields the processor."""
    if sys.platform == "win32":
        function = ctypes.CDLL("kernel32").SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0

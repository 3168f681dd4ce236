"""Real-time loop in native code: the compiled function that takes steps when they are due.

A Python thread that steps a machine at 1 kHz shares the interpreter with all others, and waits
whenever one of them has it. This loop takes its steps in machine code, outside of the interpreter;
what Python threads read and write meanwhile are the words and tables of ``paced_words``.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Callable

from phalanx.kernel.llvm.native import Library, object_code
from phalanx.kernel.llvm.target import host_target
from phalanx.kernel.loops.emit_paced import emit_paced
from phalanx.kernel.loops.emit_words import SYSTEM_CLOCK


def can_pace() -> bool:
    """Whether this system has the clock that native steps wait for."""
    return sys.platform == "linux"


def pacer(clock: str = SYSTEM_CLOCK) -> Callable[[int, int], None]:
    """The loop, which waits by a clock (see ``emit_clock``); the interpreter is free meanwhile.

    It takes the addresses of its words, and of its table of addresses and sizes.
    """
    return _compiled(clock)[1]


@functools.cache
def _compiled(clock: str) -> tuple[Library, Callable[[int, int], None]]:
    """The function, and the code that has to stay while it is called."""
    library = Library(object_code(emit_paced(clock), host_target(), effort=1), ("pace",), {})
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    return library, prototype(library.address("pace"))

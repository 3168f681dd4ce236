"""Interruptible native calls: Ctrl-C ends them.

CPython hears of a signal in the main thread alone, between two bytecodes. A call that may last is
therefore made in a thread of its own, while the main thread waits in Python, where a handler may
run and raise at any moment. The call is then told to stop and waited for, and the exception goes
on: nothing works on after it has been caught. Other threads make the call themselves.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import TypeVar

from phalanx.kernel.interrupts.workers import WorkItem

T = TypeVar("T")


def interruptible(
    call: Callable[[], T],
    stop: Callable[[], None] | None,
    watch: Callable[[], None] | None = None,
) -> T:
    """The result of a call, during which the main thread hears signals.

    Args:
        call: What to do; it lets go of the interpreter most of the time.
        stop: Makes the call return soon, from any thread. None for a call that cannot be stopped:
            then it is left behind when the wait is interrupted, and its result is dropped.
        watch: Called now and then in the main thread while it waits; what it raises ends the call.

    Raises:
        BaseException: What the call raised, or what a signal handler did.
    """
    if _thread.get_ident() != threading.main_thread().ident:
        return call()
    part = WorkItem(call)
    try:
        try:
            _thread.start_new_thread(part.do, ())
        except RuntimeError:  # no more threads, or the interpreter is ending
            part.do()
        part.wait(watch)
    except BaseException:
        if stop is not None:
            part.settle(stop)
        else:
            part.begun()  # what has not begun never will
        raise
    return part.result()

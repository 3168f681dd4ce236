"""Interruptible native calls: Ctrl-C ends them, also where CasADi swallows it (repeated SIGINT).

CPython hears of a signal in the main thread alone, between two bytecodes. A call that may last is
therefore made in a thread of its own, while the main thread waits in Python, where a handler may
run and raise at any moment. The call is then told to stop and waited for, and the exception goes
on: nothing works on after it has been caught. Other threads make the call themselves.

CasADi asks objects for attributes and conversions, and drops whatever is raised meanwhile or raises
something else: while a machine is traced, more than half of all interrupts vanish. Policy: until
the expressions are there, a handler of our own stands before the one that was there, calls it, and
remembers what it raised. If the main thread goes on as if nothing had happened, it is interrupted
again a moment later, until the exception comes through; at the end, at the latest, it is raised.
While one is being handled (a ``finally``, an ``except``), nothing is repeated: then it was heard.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar, final

from phalanx.base.casadi_operators import quick_operators
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


_AGAIN = 0.02  # [s]


@contextmanager
def repeated_interrupts() -> Iterator[None]:
    """Build expressions, quickly, and repeat an interrupt of the main thread until it is heard."""
    with quick_operators(), _repeated():
        yield


@contextmanager
def _repeated() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    if isinstance(before, _Handler) and before.has_left:
        before = before.usual  # one that was torn away before it could put things back
    is_main = _thread.get_ident() == threading.main_thread().ident
    if not is_main or not callable(before) or isinstance(before, _Handler):
        yield
        return
    handler = _Handler(before)
    try:
        try:
            signal.signal(signal.SIGINT, handler)
            yield
        finally:
            handler.leave()
            signal.signal(signal.SIGINT, before)
    except BaseException as error:
        if handler.raised is None or isinstance(error, type(handler.raised)):
            raise
        raise handler.raised from error
    if handler.raised is not None:
        raise handler.raised


@final
class _Handler:
    """Calls the usual handler, again and again if need be.

    Attributes:
        usual: The handler that was there before.
        has_left: Whether expressions are there, and nothing is to be repeated any more.
        raised: What the usual handler raised when it was last called.
    """

    def __init__(self, usual: Callable[[int, FrameType | None], Any]) -> None:
        self.usual = usual
        self.has_left = False
        self.raised: BaseException | None = None
        self._repeats = False  # whether the next call is a repetition
        self._repeating: WorkItem[None] | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal, in the main thread."""
        is_repetition, self._repeats = self._repeats, False
        if is_repetition and (self.has_left or self._is_heard()):
            return
        if self._repeating is None and not self.has_left:
            self._repeating = WorkItem(self._repeat)
            _thread.start_new_thread(self._repeating.do, ())
        try:
            self.usual(number, frame)
            self.raised = None  # it was dealt with
        except BaseException as error:
            self.raised = error
            raise

    def leave(self) -> None:
        """Repeat nothing any more; none is on its way when this returns."""
        self.has_left = True
        if self._repeating is not None:
            self._repeating.settle(lambda: None)

    def _is_heard(self) -> bool:
        """Whether what was raised is being handled, or what came of it."""
        error = sys.exc_info()[1]
        while error is not None:
            if isinstance(error, type(self.raised)):
                return True
            error = error.__context__
        return False

    def _repeat(self) -> None:
        while not self.has_left:
            time.sleep(_AGAIN)
            if self.raised is not None and not self.has_left:
                self._repeats = True
                _thread.interrupt_main(signal.SIGINT)

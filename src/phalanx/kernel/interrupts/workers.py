"""Worker threads of a call, joined even when KeyboardInterrupt is raised meanwhile.

CPython may raise `KeyboardInterrupt` in the main thread between any two bytecodes: between taking a
lock and remembering that, or inside the pool of `concurrent.futures`, which then waits for ever.
Policy: the waiting side only calls single C functions (a put, a get, a ``setdefault``) and looks at
flags, so that it can be torn away anywhere and begin again. A part belongs to the thread that
claims it first; one that waits no longer claims what has not begun. A part owns what it works
on, so that memory outlives the machine code that writes to it, whichever thread has left meanwhile.
"""

from __future__ import annotations

import _thread
import contextlib
import weakref
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar, final

T = TypeVar("T")

# [s] between two looks: a signal need not end a wait, as it may come to any thread of the process
_LOOK = 0.05


@final
class WorkItem(Generic[T]):
    """Work that one thread does, once, while another may wait for it.

    Attributes:
        over: Whether it is done, or has failed.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work: Callable[[], T] | None = work
        self._claims: dict[str, int] = {}
        self._bell: SimpleQueue[None] = SimpleQueue()
        self.over = False
        self._error: BaseException | None = None

    def do(self) -> None:
        """Do it in this thread, unless another has claimed it."""
        if not self._claim():
            return
        work = self._work
        assert work is not None
        try:
            self._value = work()
        except BaseException as error:
            self._error = error
        finally:
            # a result may be kept for long, and what it was made from must not
            self._work = work = None
            self.over = True
            self._bell.put(None)

    def wait(self, watch: Callable[[], None] | None = None) -> None:
        """Until it is over; signals are heard meanwhile, and ``watch`` is called now and then."""
        while not self.over:
            with contextlib.suppress(Empty):
                self._bell.get(timeout=_LOOK)
            if watch is not None:
                watch()

    def result(self) -> T:
        """What came out, once it is over; what was raised is raised here."""
        self.wait()
        if self._error is None:
            return self._value
        error, self._error = self._error, None
        try:
            raise error
        finally:
            del error  # its traceback holds this frame

    def begun(self) -> bool:
        """Whether a thread works or has worked on it; if not, none ever will."""
        return not self._claim()

    def settle(self, stop: Callable[[], None]) -> None:
        """Come back only when no thread works on it, whatever is raised meanwhile.

        Args:
            stop: Tells the thread that works on it to end soon.
        """
        settled = False
        while not settled:
            # an exception is on its way out already: a second Ctrl-C has nothing to add
            with contextlib.suppress(BaseException):
                stop()
                if self.begun():
                    self.wait()
                settled = True

    def _claim(self) -> bool:
        """Whether this thread is the one that the part belongs to; asking twice changes nothing."""
        me = _thread.get_ident()
        return self._claims.setdefault("thread", me) == me


@final
class Workers:
    """Threads that take parts in the order in which they were handed out.

    Attributes:
        serving: The system's numbers of the threads; each enters its own, so none is counted in
            vain.
    """

    def __init__(self, most: int) -> None:
        """At most so many threads; none is started before it is needed."""
        self._most = most
        self._parts: SimpleQueue[WorkItem[object] | None] = SimpleQueue()
        self.serving: list[int] = []
        # threads know the queue and not this object, so they end when it goes
        weakref.finalize(self, _dismiss, self._parts, self.serving)

    def hand(self, part: WorkItem[T]) -> None:
        """Let a thread do a part.

        Raises:
            RuntimeError: The system has no more threads, or the interpreter is ending.
        """
        self._parts.put(part)  # type: ignore[arg-type]
        if len(self.serving) < self._most:
            # threading.Thread would wait for the thread under a lock, where it may be torn away
            _thread.start_new_thread(_serve, (self._parts, self.serving, self._most))


def _serve(parts: SimpleQueue[WorkItem[object] | None], serving: list[int], most: int) -> None:
    if len(serving) >= most:
        return
    me = _thread.get_native_id()
    serving.append(me)
    while (part := parts.get()) is not None:
        part.do()
        del part
    serving.remove(me)


def _dismiss(parts: SimpleQueue[WorkItem[object] | None], serving: list[int]) -> None:
    for _ in tuple(serving):
        parts.put(None)

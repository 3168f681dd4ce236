"""UI task queue on one thread; newer events replace older ones.

A slider that is dragged sends its value fifty times a second, and a foreign page may send a
thousand events. Of the events of one control only the newest counts: nothing piles up, and closing
waits for one task at most.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, final

log = logging.getLogger(__name__)


@final
class TaskQueue:
    """A thread, and what it has to do."""

    def __init__(self, name: str) -> None:
        """Start the thread."""
        self._waiting: dict[Hashable, Callable[[], None]] = {}
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def listen(self, subscribe: Callable[[Any], Any], do: Callable[[Any], None]) -> None:
        """Do something when the user uses a control.

        Args:
            subscribe: ``on_update`` or ``on_click`` of the control.
            do: Called with the newest event, from the thread; not when a program set the control.
        """

        # a coroutine: the page's server calls it at once, where a function would wait in a queue
        async def enqueue(event: Any) -> None:
            if event.client is not None:
                self.submit(id(event.target), partial(do, event))

        subscribe(enqueue)

    def submit(self, key: Hashable, task: Callable[[], None]) -> None:
        """Have something done soon, instead of what was left under the same key."""
        with self._changed:
            self._waiting[key] = task
            self._changed.notify()

    def waiting(self) -> tuple[Hashable, ...]:
        """Return the keys of all that is not begun yet."""
        with self._changed:
            return tuple(self._waiting)

    def is_outdated(self, key: Hashable) -> bool:
        """Whether what is being done under a key need not be finished."""
        return self._closing or key in self._waiting

    def close(self) -> None:
        """Finish what is being done, and nothing else; does nothing the second time."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if self._closing:
                    return
                task = self._waiting.pop(next(iter(self._waiting)))
            try:
                task()
            except Exception:
                log.exception("while doing what a page asked for")

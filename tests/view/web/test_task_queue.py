from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest

from phalanx.view.web.task_queue import TaskQueue
from waiting import LONG, eventually


@pytest.fixture
def errands():
    made = TaskQueue("test")
    yield made
    made.close()


@pytest.fixture
def busy(errands):
    """The thread is held up until the event is set."""
    started, go_on = threading.Event(), threading.Event()

    def hold():
        started.set()
        go_on.wait(LONG)

    errands.leave("held", hold)
    assert started.wait(LONG)
    yield go_on
    go_on.set()


def test_of_many_wishes_only_the_newest_is_fulfilled(errands, busy):
    done, finished = [], threading.Event()
    for k in range(10_000):
        errands.leave("slider", lambda k=k: done.append(k))
    errands.leave("last", finished.set)
    assert len(errands._waiting) == 2
    busy.set()
    assert finished.wait(LONG)
    assert done == [9999]


def test_wishes_of_different_controls_are_all_fulfilled_in_turn(errands, busy):
    done, finished = [], threading.Event()
    for name in ("a", "b", "a", "c"):
        errands.leave(name, lambda name=name: done.append(name))
    errands.leave("last", finished.set)
    busy.set()
    assert finished.wait(LONG)
    assert done == ["a", "b", "c"]


def test_who_works_knows_that_something_newer_waits(errands, busy):
    assert not errands.is_outdated("held")
    errands.leave("held", lambda: None)
    assert errands.is_outdated("held")


def test_an_errand_that_fails_does_not_end_the_others(errands, caplog):
    finished = threading.Event()
    errands.leave("fails", lambda: 1 / 0)
    errands.leave("last", finished.set)
    assert finished.wait(LONG)
    assert "ZeroDivisionError" in caplog.text


def test_closing_waits_for_one_errand_and_drops_the_others(errands, busy):
    done = []
    errands.leave("other", lambda: done.append(1))
    closing = threading.Thread(target=errands.close)
    closing.start()
    eventually(lambda: errands.is_outdated("held"))
    busy.set()
    closing.join(LONG)
    assert not closing.is_alive() and done == []
    errands.close()


def test_only_people_are_heard_not_programs(errands):
    heard, subscribers = [], []
    errands.hear(subscribers.append, lambda event: heard.append(event.client))
    finished = threading.Event()
    control = SimpleNamespace()
    for client in ("page", None):
        asyncio.run(subscribers[0](SimpleNamespace(client=client, target=control)))
        errands.leave(client, finished.set)
        assert finished.wait(LONG)
        finished.clear()
    assert heard == ["page"]

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest

from phalanx.view.web.task_queue import TaskQueue
from waiting import LONG, eventually


@pytest.fixture
def tasks():
    made = TaskQueue("test")
    yield made
    made.close()


@pytest.fixture
def busy(tasks):
    """The thread is held up until the event is set."""
    started, go_on = threading.Event(), threading.Event()

    def hold():
        started.set()
        go_on.wait(LONG)

    tasks.submit("held", hold)
    assert started.wait(LONG)
    yield go_on
    go_on.set()


def test_of_many_wishes_only_the_newest_is_fulfilled(tasks, busy):
    done, finished = [], threading.Event()
    for k in range(10_000):
        tasks.submit("slider", lambda k=k: done.append(k))
    tasks.submit("last", finished.set)
    assert len(tasks._waiting) == 2
    busy.set()
    assert finished.wait(LONG)
    assert done == [9999]


def test_wishes_of_different_controls_are_all_fulfilled_in_turn(tasks, busy):
    done, finished = [], threading.Event()
    for name in ("a", "b", "a", "c"):
        tasks.submit(name, lambda name=name: done.append(name))
    tasks.submit("last", finished.set)
    busy.set()
    assert finished.wait(LONG)
    assert done == ["a", "b", "c"]


def test_who_works_knows_that_something_newer_waits(tasks, busy):
    assert not tasks.is_outdated("held")
    tasks.submit("held", lambda: None)
    assert tasks.is_outdated("held")


def test_a_task_that_fails_does_not_end_the_others(tasks, caplog):
    finished = threading.Event()
    tasks.submit("fails", lambda: 1 / 0)
    tasks.submit("last", finished.set)
    assert finished.wait(LONG)
    assert "ZeroDivisionError" in caplog.text


def test_closing_waits_for_one_task_and_drops_the_others(tasks, busy):
    done = []
    tasks.submit("other", lambda: done.append(1))
    closing = threading.Thread(target=tasks.close)
    closing.start()
    eventually(lambda: tasks.is_outdated("held"))
    busy.set()
    closing.join(LONG)
    assert not closing.is_alive() and done == []
    tasks.close()


def test_only_people_are_heard_not_programs(tasks):
    heard, subscribers = [], []
    tasks.listen(subscribers.append, lambda event: heard.append(event.client))
    finished = threading.Event()
    control = SimpleNamespace()
    for client in ("page", None):
        asyncio.run(subscribers[0](SimpleNamespace(client=client, target=control)))
        tasks.submit(client, finished.set)
        assert finished.wait(LONG)
        finished.clear()
    assert heard == ["page"]

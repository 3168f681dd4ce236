"""Threads that go first, where the system lets them."""

from __future__ import annotations

import os
import threading

import pytest

from phalanx.simulation.realtime.priority import raised_priority


@pytest.mark.parametrize("first", [True, False])
def test_a_thread_is_as_before_when_it_leaves(first):
    thread = threading.get_native_id()
    before = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, thread)
    with raised_priority(first=first) as granted:
        assert granted in ("real-time", "raised", "normal")
        inside = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, thread)
        assert (inside != before) == (granted != "normal")
    assert (os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, thread)) == before


def test_who_may_not_stays_as_he_is(monkeypatch):
    def refuse(*_):
        raise PermissionError

    for name in ("sched_setscheduler", "setpriority"):
        monkeypatch.setattr(os, name, refuse)
    with raised_priority(first=True) as granted:
        assert granted == "normal"


def test_errors_leave_through_it():
    before = os.sched_getscheduler(0)
    with pytest.raises(KeyError), raised_priority(first=True):
        raise KeyError
    assert os.sched_getscheduler(0) == before

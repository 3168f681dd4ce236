from __future__ import annotations

import pytest

from phalanx.bench.clock import TimingEffort, take_turns
from waiting import Clock


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr("phalanx.bench.clock.time", made)
    return made


def test_contestants_take_turns(clock):
    calls: list[str] = []
    contestants = {name: lambda name=name: (calls.append(name), clock.work(2e-3)) for name in "ab"}
    timings = take_turns(contestants, TimingEffort(turn=1e-3, rounds=3))
    assert calls[-6:] == list("ababab")
    for timing in timings.values():
        assert timing.best == pytest.approx(2e6) == timing.median
        assert 3 <= timing.rounds <= 12


def test_rounds_go_on_while_the_best_time_falls(clock):
    pauses = iter([2e-3] * 3 + [2e-3 * 0.5**k for k in range(1, 4)] + [2e-3] * 100)
    timing = take_turns({"x": lambda: clock.work(next(pauses))}, TimingEffort(turn=1e-4, rounds=4))[
        "x"
    ]
    assert timing.rounds > 4
    assert timing.best < 0.6 * timing.median


def test_short_calls_are_repeated_until_the_clock_sees_them(clock):
    calls: list[int] = []
    short = {"short": lambda: (calls.append(1), clock.work(1e-6))}
    timing = take_turns(short, TimingEffort(turn=1e-3, rounds=1))["short"]
    assert len(calls) > 1000 and timing.best == pytest.approx(1e3)


def test_a_batch_is_shared_between_its_samples(clock):
    timing = take_turns({"x": lambda: clock.work(1e-3)}, TimingEffort(turn=1e-4, rounds=1))["x"]
    assert timing.per(10).best == timing.best / 10

from __future__ import annotations

import time

from phalanx.bench.clock import Effort, take_turns


def test_contestants_take_turns():
    calls: list[str] = []
    contestants = {name: lambda name=name: (calls.append(name), time.sleep(2e-3)) for name in "ab"}
    timings = take_turns(contestants, Effort(turn=1e-3, rounds=3))
    assert calls[-6:] == list("ababab")
    for timing in timings.values():
        assert 2e6 <= timing.best <= timing.median
        assert 3 <= timing.rounds <= 12


def test_rounds_go_on_while_the_best_time_falls():
    pauses = iter([2e-3] * 3 + [2e-3 * 0.5**k for k in range(1, 4)] + [2e-3] * 100)
    timing = take_turns({"x": lambda: time.sleep(next(pauses))}, Effort(turn=1e-4, rounds=4))["x"]
    assert timing.rounds > 4
    assert timing.best < 0.6 * timing.median


def test_short_calls_are_repeated_until_the_clock_sees_them():
    calls: list[int] = []
    take_turns({"short": lambda: calls.append(1)}, Effort(turn=1e-3, rounds=1))
    assert len(calls) > 100


def test_a_batch_is_shared_between_its_samples():
    timing = take_turns({"x": lambda: time.sleep(1e-3)}, Effort(turn=1e-4, rounds=1))["x"]
    assert timing.per(10).best == timing.best / 10

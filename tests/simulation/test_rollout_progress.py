"""A loop in pieces: the same bits, and somebody is told how far it is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import phalanx as px
from phalanx.kernel.call import threads
from phalanx.kernel.loops import loop, pieces


@pytest.fixture(autouse=True)
def all_calls_are_worth_telling(monkeypatch):
    monkeypatch.setattr(threads, "_WORTH_TELLING", 0)
    monkeypatch.setattr(pieces, "A_PIECE", 1e-4)


@pytest.mark.parametrize("runs", [1, 33])
@pytest.mark.parametrize(("steps", "every"), [(1, 1), (100, 7), (101, 100), (60, 60), (500, 1)])
def test_the_same_bits(runs, steps, every):
    machine, rng = px.library.double_pendulum(), np.random.default_rng(0)
    q, v = rng.standard_normal((2, runs, 2))
    v[0] = 1e200  # leaves finite numbers on the way
    loops = px.CompiledRollout(machine, record=("q", "tau"), objective=lambda q, v, tau: v.T @ v)
    given = {"tau": rng.standard_normal((runs, steps, 2)), "steps": steps, "every": every}
    heard: list[float] = []
    whole, cut = loops(q, v, **given), loops(q, v, **given, progress=heard.append)
    for name in ("time", "q", "tau", "final_q", "final_v", "cost", "diverged"):
        a, b = getattr(whole, name), getattr(cut, name)
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), name
    assert np.array_equal(whole.divergence.step, cut.divergence.step)
    assert heard[-1] == 1 and all(a < b for a, b in itertools.pairwise(heard))


def test_many_runs_are_counted_while_one_waits(monkeypatch):
    monkeypatch.setattr(loop, "MANY", 0)
    machine, heard = px.library.double_pendulum(), []
    q = np.zeros((20_000, 2))
    px.rollout(machine, q, q, steps=2000, record=(), threads=1, progress=heard.append)
    assert heard and all(0 <= part <= 1 for part in heard) and heard == sorted(heard)


def test_what_the_listener_raises_ends_the_call():
    def enough(part: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        px.rollout(
            px.library.double_pendulum(), np.zeros(2), np.zeros(2), steps=1000, progress=enough
        )


def test_long_machines_tell_too():
    heard: list[float] = []
    machine = px.library.chain(300)
    state = np.zeros(300)
    px.rollout(machine, state, state, steps=2, record=(), progress=heard.append)
    assert heard[-1] == 1

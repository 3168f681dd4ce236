"""Threads: same bits, safe after a fork and from several Python threads at once."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import sys
import threading
import warnings

import numpy as np
import pytest

from kernel.samples import two_link_arm
from phalanx.kernel import compile
from phalanx.kernel.call import threads as threads_module
from phalanx.kernel.call.threads import Workload
from phalanx.kernel.graph.operations import Operations
from waiting import eventually

SAMPLES = 100_000


@pytest.fixture
def states():
    return np.random.default_rng(0).standard_normal((3, SAMPLES, 2))


@pytest.fixture
def helpers(monkeypatch):
    """Counts the jobs given to the pool."""
    submitted = []
    pool = threads_module._pool(os.getpid())
    original = pool.hand
    monkeypatch.setattr(pool, "hand", lambda *a: submitted.append(1) or original(*a))
    return submitted


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_give_the_same_bits(states, threads, helpers):
    alone = compile(two_link_arm(), threads=1)(*states)
    assert helpers == []
    shared = compile(two_link_arm(), threads=threads)(*states)
    assert np.array_equal(shared, alone)
    assert 1 <= len(helpers) <= threads - 1


def test_small_batches_stay_on_one_thread(states, helpers):
    kernel = compile(two_link_arm(), threads=8)
    kernel(*states[:, :300])
    kernel(states[0, :300].tolist(), *states[1:, :300])
    assert helpers == []


def test_every_sample_is_taken_once():
    taken = []
    lock = threading.Lock()

    def share(records, following, end, turn):
        counter = following._obj
        while True:
            with lock:
                start, counter.value = counter.value, counter.value + turn
                if start >= end:
                    return 0
                taken.append((start, min(start + turn, end)))

    Workload(threads=4, block=32, work=10_000).run(share, None, 100_001)
    taken.sort()
    assert taken[0][0] == 0 and taken[-1][1] == 100_001
    assert all(a[1] == b[0] for a, b in itertools.pairwise(taken))
    assert len(taken) > 4


def test_work_weighs_slow_operations():
    fast = Workload.of(Operations(add=10), 1, 32)
    assert Workload.of(Operations(sincos=10), 1, 32).work > 10 * fast.work
    assert fast.most_samples_alone > 100_000


def test_concurrent_calls(states):
    kernel = compile(two_link_arm(), threads=2)
    expected = kernel(*states)
    wrong = []

    def worker():
        for _ in range(5):
            if not np.array_equal(kernel(*states), expected):
                wrong.append(1)

    pool = [threading.Thread(target=worker) for _ in range(4)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    assert wrong == []


def _evaluate(kernel, states, queue):
    result = kernel(*states).sum()
    serving = threads_module._pool(os.getpid()).serving
    queue.put((result, len(eventually(lambda: serving))))  # a thread that starts takes a moment


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_forked_child_makes_its_own_pool(states):
    kernel = compile(two_link_arm(), threads=2)
    expected = kernel(*states).sum()  # the pool exists before the fork
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_evaluate, args=(kernel, states, queue))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is the point
        child.start()
    result, workers = queue.get(timeout=30)
    assert result == expected and workers >= 1
    child.join(timeout=30)
    assert child.exitcode == 0


@pytest.mark.parametrize("samples", [10, 1_000_000])
def test_missing_memory_is_an_error(samples):
    with pytest.raises(MemoryError):
        Workload(threads=2, block=32, work=100).run(lambda *_: 1, None, samples)

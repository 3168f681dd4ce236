"""Kernels outlive their owners for as long as anybody uses them."""

from __future__ import annotations

import gc
import os
import pickle
import threading

import numpy as np
import pytest

import phalanx as px

ROWS = 2000


def machine() -> px.Mechanism:
    return px.library.chain(3)


def states() -> np.ndarray:
    return np.random.default_rng(3).standard_normal((ROWS, 3))


def test_threads_go_on_with_kernels_whose_owner_is_gone():
    dynamics = px.Dynamics(machine(), cache=False, threads=1)
    q = states()
    expected = dynamics.mass_matrix(q)
    taken = dynamics.mass_matrix
    begun, stop, wrong = threading.Barrier(3), threading.Event(), []

    def work(function) -> None:
        begun.wait()
        while not stop.is_set():
            wrong.append(not np.array_equal(function(q), expected))

    threads = [threading.Thread(target=work, args=(taken,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    begun.wait()
    del dynamics, taken
    for _ in range(3):  # new code takes places that are free
        gc.collect()
        px.Dynamics(px.library.chain(2), cache=False).gravity(np.zeros(2))
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong and not any(wrong)


def test_functions_taken_out_of_their_object_and_pickled():
    q = states()
    expected = px.Dynamics(machine()).gravity(q)
    gravity = px.Dynamics(machine(), cache=False).gravity
    gc.collect()
    assert np.array_equal(gravity(q), expected)
    copy = pickle.loads(pickle.dumps(px.Dynamics(machine())))
    assert np.array_equal(copy.gravity(q), expected)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc")
def test_live_runs_that_come_go_and_last_leave_no_memory_behind():
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def live(duration: float) -> None:
        px.LiveRun(machine(), duration=duration, speed=1e6).run()

    for _ in range(10):
        live(0.01)
    gc.collect()
    before = resident()
    for _ in range(60):
        live(0.01)
    live(60.0)  # 60,000 steps; a recording of them would have 6 MB
    gc.collect()
    assert resident() - before < 3e6  # [byte]

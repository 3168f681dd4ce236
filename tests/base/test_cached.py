"""Cached properties and locks beside a fork."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import phalanx
from phalanx.base.cached import ForkSafeLock, cached_property
from waiting import LONG

DEADLINE = 30.0  # [s]
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@dataclass(frozen=True)
class Square:
    side: float
    entered: threading.Event | None = None
    go_on: threading.Event | None = None

    @cached_property
    def area(self) -> float:
        """The area [m²]."""
        if self.entered is not None and self.go_on is not None:
            self.entered.set()
            self.go_on.wait(DEADLINE)
        return self.side**2


def test_a_cached_property_is_computed_once_and_found_in_the_instance():
    square = Square(3.0)
    assert "area" not in vars(square)
    assert square.area == 9.0
    vars(square)["area"] = 4.0
    assert square.area == 4.0
    assert Square(3.0) == square
    assert Square.area.__doc__ == "The area [m²]."
    assert pickle.loads(pickle.dumps(square)).area == 4.0


def test_all_threads_get_the_same_object():
    class Slow:
        @cached_property
        def thing(self) -> object:
            barrier.wait(DEADLINE)  # both threads compute
            return object()

    barrier, slow, seen = threading.Barrier(2), Slow(), []
    threads = [threading.Thread(target=lambda: seen.append(slow.thing)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert len(seen) == 2 and seen[0] is seen[1] is slow.thing


def in_child(work) -> int:
    """The exit code of a forked child that does the work; it is ended at a deadline."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is the point
        process = os.fork()
    if process == 0:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            os._exit(code)
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        done, status = os.waitpid(process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(5e-3)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return -1


@needs_fork
def test_a_child_computes_what_another_thread_was_computing_at_the_fork():
    entered, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: Square(2.0, entered, go_on).area)
    thread.start()
    try:
        assert entered.wait(DEADLINE)
        assert in_child(lambda: Square(3.0).area == 9.0) == 0
    finally:
        go_on.set()
        thread.join()


@needs_fork
def test_a_child_finds_locks_free_that_another_thread_of_the_parent_holds():
    lock, entered, go_on = ForkSafeLock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            entered.set()
            go_on.wait(DEADLINE)

    def enter() -> bool:
        with lock, lock:
            return True

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert entered.wait(DEADLINE)
        assert in_child(enter) == 0
    finally:
        go_on.set()
        thread.join()
    with lock:  # held by the thread that forks: the child still holds it, and lets it go
        assert in_child(enter) == 0


FIRST_USE = """
import os, signal, threading, warnings
import phalanx

thread = threading.Thread(target=lambda: phalanx.library.chain(2))
thread.start()
warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is the point
child = os.fork()
if not child:
    signal.alarm(30)
    phalanx.library.chain(3)
    os._exit(0)
thread.join()
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@needs_fork
def test_a_fork_waits_for_the_first_use_of_all_by_another_thread():
    made = subprocess.run([sys.executable, "-c", FIRST_USE], timeout=LONG)
    assert made.returncode == 0


SLOW = """
import threading
entered, go_on = threading.Event(), threading.Event()
"""
LOADING = """
import os, signal, sys, threading, warnings
import phalanx, slow_events, slow_package

phalanx.Pose
def load():
    if sys.argv[1] == "name":
        return slow_package.thing
    from slow_package.slow import thing
    return thing

thread = threading.Thread(target=load)
thread.start()
assert slow_events.entered.wait(30)
os.register_at_fork(before=slow_events.go_on.set)  # what comes last runs first
warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is the point
child = os.fork()
if not child:
    signal.alarm(30)
    os._exit(0 if load() == 7 else 1)
thread.join()
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@needs_fork
@pytest.mark.parametrize("way", ["name", "module"])
def test_a_fork_waits_for_what_another_thread_is_importing(way, tmp_path):
    """Else it stays locked in the child."""
    package = tmp_path / "slow_package"
    package.mkdir()
    (tmp_path / "slow_events.py").write_text(SLOW)
    (package / "__init__.pyi").write_text(
        "from slow_package.slow import thing\n__all__ = ['thing']\n"
    )
    (package / "__init__.py").write_text(
        "from phalanx.base.lazy_imports import names_of_stub\n"
        "__getattr__, __dir__, __all__ = names_of_stub(__name__)\n"
    )
    (package / "slow.py").write_text(
        "import slow_events, time\nslow_events.entered.set()\nslow_events.go_on.wait(30)\n"
        "time.sleep(0.05)\nthing = 7\n"
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    made = subprocess.run(
        [sys.executable, "-c", LOADING, way], env=os.environ | {"PYTHONPATH": paths}, timeout=LONG
    )
    assert made.returncode == 0


ENDLESS = """
import os, threading, time, warnings
import phalanx.base.forks

phalanx.base.forks.LONGEST = 0.01
phalanx.Pose
warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is the point

def fork():
    for _ in range(2):
        child = os.fork()
        if not child:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    print(phalanx.base.forks.fork_waits._imports_end)

thread = threading.Thread(target=fork)
thread.start()
thread.join()  # within the import of this module
"""


@needs_fork
def test_a_program_that_runs_inside_an_import_may_fork(tmp_path):
    (tmp_path / "endless.py").write_text(ENDLESS)
    paths = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    made = subprocess.run(
        [sys.executable, "-c", "import endless"],
        env=os.environ | {"PYTHONPATH": paths},
        timeout=LONG,
        capture_output=True,
        text=True,
    )
    assert (made.returncode, made.stdout) == (0, "False\n"), made.stderr


@needs_fork
def test_children_compile_while_another_thread_compiles():
    """CasADi and LLVM have locks of their own, which no thread of a child would ever open."""

    def compiled(links: int) -> bool:
        machine = phalanx.library.chain(links)
        mass = phalanx.Dynamics(machine, cache=False).mass_matrix(np.zeros(links))
        return mass.shape == (links, links)

    def go_on() -> None:
        while not stop.is_set():
            compiled(3)

    stop = threading.Event()
    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        assert [in_child(lambda: compiled(2)) for _ in range(8)] == [0] * 8
    finally:
        stop.set()
        thread.join()


def test_no_module_takes_the_property_with_a_lock():
    root = Path(phalanx.__file__).parent
    users = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "functools import cached_property" in path.read_text()
        or "@functools.cached_property" in path.read_text()
    ]
    assert users == []

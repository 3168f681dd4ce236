"""Ctrl-C: heard at once, without a crash, and nothing works on behind one's back."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from phalanx.kernel import compile
from phalanx.kernel.interrupts.interruptible import interruptible, repeated_interrupts
from phalanx.kernel.interrupts.workers import Workers, WorkItem
from waiting import eventually

LIMIT = 20.0  # [s] for what takes a moment


class Call:
    """Work that lasts until it is told to stop, and sends SIGINT once it has begun."""

    def __init__(self, interrupts: int = 1) -> None:
        self.stopped, self.ended = threading.Event(), threading.Event()
        self.interrupts = interrupts

    def run(self):
        for _ in range(self.interrupts):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1e-3)
        self.stopped.wait(LIMIT)
        time.sleep(0.02)  # the turn that it is at
        self.ended.set()


def test_many_interrupts_at_random_moments():
    """Each kind of call three times; see interrupts.py for 200 of them."""
    program = Path(__file__).with_name("interrupts.py")
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(program), "--count", "33"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "33 interrupts" in done.stdout


def test_a_call_is_stopped_and_waited_for():
    call = Call()
    with pytest.raises(KeyboardInterrupt):
        interruptible(call.run, call.stopped.set)
    assert call.ended.is_set()


def test_a_second_interrupt_does_not_leave_the_call_behind():
    call = Call(interrupts=4)
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptible(call.run, call.stopped.set)
    except KeyboardInterrupt:
        pass  # the last one came after the call was over
    assert call.ended.is_set()


def test_a_call_that_cannot_be_stopped_is_left_behind():
    call = Call()
    with pytest.raises(KeyboardInterrupt):
        interruptible(call.run, None)
    assert not call.ended.is_set()
    call.stopped.set()
    eventually(call.ended.is_set)


def test_results_and_errors_come_back():
    assert interruptible(lambda: 7, None) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0, lambda: None)


def test_other_threads_make_the_call_themselves():
    threads = []

    def work():
        threads.append(threading.get_ident())
        interruptible(lambda: threads.append(threading.get_ident()), None)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert threads[0] == threads[1]


def test_any_exception_of_a_handler_ends_the_call():
    """A time limit by SIGALRM, for one."""

    def give_up(number, frame):
        raise TimeoutError("long enough")

    x = ca.SX.sym("x")
    y = x
    for _ in range(50):
        y = ca.sin(y) + 1
    kernel = compile(ca.Function("f", [x], [y], ["x"], ["y"]), threads=2)
    before = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(TimeoutError):
            kernel(np.broadcast_to(0.5, (200_000_000, 1)))  # much longer
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert kernel([0.5]).shape == (1,)


def test_a_part_owns_what_it_works_on_until_it_is_over():
    """Whoever handed it out may leave: memory lives as long as somebody writes to it."""

    class Memory:
        pass

    memory, go = Memory(), threading.Event()
    alive = weakref.ref(memory)
    part = WorkItem(lambda memory=memory: go.wait(LIMIT))
    Workers(1).hand(part)
    over, claims = part._bell, part._claims
    eventually(lambda: claims)
    del part, memory
    gc.collect()
    assert alive() is not None
    go.set()
    over.get(timeout=LIMIT)
    eventually(lambda: alive() is None)


def test_what_nobody_has_begun_is_never_done():
    done = []
    part = WorkItem(lambda: done.append(1))
    assert not part.begun()
    thread = threading.Thread(target=part.do)
    thread.start()
    thread.join()
    assert done == []


def test_interrupts_that_casadi_drops_are_repeated():
    """A property that CasADi asks for, and whose exception it drops."""

    class Deaf:
        @property
        def __SX__(self):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1e-3)

    usual = signal.getsignal(signal.SIGINT)
    dropped = []
    with pytest.raises(KeyboardInterrupt), repeated_interrupts():
        try:
            ca.sin(Deaf())
        except NotImplementedError:  # no KeyboardInterrupt
            dropped.append(1)
        eventually(lambda: False)  # goes on as if nothing had happened
    assert dropped
    assert signal.getsignal(signal.SIGINT) is usual


def test_an_interrupt_that_was_dropped_is_raised_at_the_end():
    with pytest.raises(KeyboardInterrupt), repeated_interrupts():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1e-3)
        except KeyboardInterrupt:
            pass
    with pytest.raises(KeyboardInterrupt) as caught, repeated_interrupts():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1e-3)
        except KeyboardInterrupt:
            pass
        raise SystemError("returned a result with an exception set")
    assert isinstance(caught.value.__cause__, SystemError)


def test_an_interrupt_that_is_being_handled_is_not_repeated():
    """What is closed in a finally is closed whole."""
    closed = []
    with pytest.raises(KeyboardInterrupt), repeated_interrupts():
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(LIMIT)
        finally:
            time.sleep(0.1)  # five times as long as to the next repetition
            closed.append(1)
    assert closed


def test_a_handler_that_raises_nothing_is_called_once():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        with repeated_interrupts():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_tests_hear_an_interrupt_where_a_shell_ignores_it():
    """As in the background of a script; processes that tests start hear it too."""
    wanted = f"{__file__}::test_a_call_is_stopped_and_waited_for"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", wanted],
        capture_output=True,
        text=True,
        timeout=100,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert done.returncode == 0, done.stdout + done.stderr

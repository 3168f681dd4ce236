"""Ctrl-C at random moments: ``python tests/kernel/interrupts.py --count 200``.

Calls that would last for minutes are interrupted, one after the other, at moments drawn with a
fixed seed. After each the program looks at what has to hold: the call ended as `KeyboardInterrupt`,
and the same threads still compute the same bits. It ends with 0 and a line for each kind of call:
how often it was interrupted, and how long it took to end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

import casadi as ca
import numpy as np

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.kernel import compile
from phalanx.kernel.loops.loop import compile_loop
from phalanx.kernel.loops.paced import can_pace
from phalanx.simulation.realtime.native import NativeLoop
from phalanx.simulation.realtime.pacing import Pacing

THREADS = 2
LATEST = 0.15  # [s] after which a call is interrupted at the latest
BUILDING = 1.0  # [s] the same for a simulation, which builds its expressions first


def chain(links: int) -> ca.Function:
    """A long dependent expression over few inputs."""
    x = ca.SX.sym("x", 4)
    state = [x[i] for i in range(4)]
    for k in range(links):
        s, c = ca.sin(state[k % 4]), ca.cos(state[(k + 1) % 4])
        state[k % 4] = state[(k + 2) % 4] * c - 0.3 * state[(k + 3) % 4] * s + 0.1 * k / links
    return ca.Function("chain", [x], [ca.vertcat(*state)], ["x"], ["y"])


class Striker:
    """A thread that sends SIGINT to its own process, some time after it is told to.

    Orders and reports go through single calls of C: whatever Python does under a lock may be torn
    apart, and what a call has returned may be lost before it has a name.
    """

    def __init__(self) -> None:
        self.orders: SimpleQueue[tuple[float, int]] = SimpleQueue()
        self.struck: list[float] = []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            delay, times = self.orders.get()
            time.sleep(delay)
            at = time.monotonic()
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(5e-4)
            self.struck.append(at)


def interrupted(striker: Striker, delay: float, times: int, call: Callable[[], object]) -> float:
    """Make a call and interrupt it; how long it took to end [s]."""
    before = len(striker.struck)
    try:
        striker.orders.put((delay, times))
        call()
    except KeyboardInterrupt:
        end = time.monotonic()
    else:
        sys.exit("a call came to its end")
    while len(striker.struck) == before:
        with contextlib.suppress(KeyboardInterrupt):  # the second of two may come only now
            time.sleep(1e-3)
    return end - striker.struck[-1]


def cases(place: Path) -> dict[str, tuple[Callable[[], object], Callable[[], bytes]]]:
    """Calls that take minutes, each with a short one that shows whether all is well."""
    rng = np.random.default_rng(0)
    step, large, small = chain(200), chain(1500), chain(20)
    work = compile(step, threads=THREADS)
    single = compile(step, threads=1, dtype="float32")
    loop = compile_loop(step, 1, threads=THREADS)
    recorded = compile_loop(step, 1, recorded=["y"], threads=THREADS)
    few = rng.standard_normal((2000, 4))
    # one state again and again: results are as long, and memory is taken as they are written
    many = np.broadcast_to(few[0], (50_000_000, 4))
    narrow = np.broadcast_to(few[0].astype("float32"), many.shape)
    out = np.empty(many.shape)
    arm = px.library.puma560()
    plan = mp.schedule(mp.task_graph(px.inverse_dynamics.recursive, arm), mp.SharedMemory(THREADS))
    program = mp.compile_plan(plan)
    search = px.InverseKinematics(arm, frame="tool", threads=THREADS)
    beyond = np.broadcast_to(px.Pose(translation=np.full(3, 9.0)).matrix, (1000, 4, 4))
    state = rng.standard_normal((3, arm.nv))

    def all_of(result) -> bytes:
        return b"".join(array.tobytes() for part in result for array in part)

    def simulated() -> None:
        path = place / "run.mcap"
        path.unlink(missing_ok=True)
        px.simulate(arm, duration=5000.0, step=1e-4, path=path, progress=False)

    def what_was_recorded() -> bytes:
        path = place / "run.mcap"
        if path.exists():  # it was interrupted after the first step
            px.Recording.read(path)
        return program(*state).tobytes()

    found: dict[str, tuple[Callable[[], object], Callable[[], bytes]]] = {
        "batch": (lambda: work(many), lambda: work(few).tobytes()),
        "batch into an array": (lambda: work(many, out=out), lambda: work(few).tobytes()),
        "batch on one thread": (lambda: single(narrow), lambda: single(narrow[:99]).tobytes()),
        "one run of many steps": (
            lambda: loop(10**10, many[0]),
            lambda: all_of(loop(50, few[0])),
        ),
        "many runs": (lambda: loop(10**6, many), lambda: all_of(loop(5, few))),
        "many runs, recorded": (
            lambda: recorded(10**6, many[:5000], every=10**5),
            lambda: all_of(recorded(5, few)),
        ),
        "a search that finds nothing": (
            lambda: search.solve(beyond, starts=10**9),
            lambda: search.solve(np.eye(4), starts=3).q.tobytes(),
        ),
        "simulation": (simulated, what_was_recorded),
        "plan on threads": (
            lambda: program.repeat(10**9, *state),
            lambda: program(*state).tobytes(),
        ),
        "compilation": (
            lambda: compile(large, cache=False),
            lambda: compile(small, cache=False)(few).tobytes(),
        ),
    }
    if can_pace():
        row = ca.SX.sym("x", 4)
        slow = ca.Function("slow", [row], [step(row)], ["x"], ["x_next"])
        paced = NativeLoop(compile(slow), few[0], [], 1e-3, pacing=Pacing())

        def steps_taken() -> bytes:
            before = paced.state()[0]
            paced.take(3)
            return bytes([paced.state()[0] - before])

        found["steps by the clock"] = (paced.run, steps_taken)
        found["steps without a clock"] = (lambda: paced.take(10**12), steps_taken)
    return found


def main() -> None:
    """Interrupt all kinds of calls in turn."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="a kind of call; all in turn otherwise")
    wanted = parser.parse_args()
    rng = np.random.default_rng(wanted.seed)
    with tempfile.TemporaryDirectory() as folder:
        known = cases(Path(folder))
        known = {name: known[name] for name in known if wanted.only in (None, name)}
        expected = {name: check() for name, (_, check) in known.items()}
        striker = Striker()
        took: dict[str, list[float]] = {name: [] for name in known}
        names = list(known)
        for k in range(wanted.count):
            name = names[k % len(names)]
            call, check = known[name]
            latest = BUILDING if name == "simulation" else LATEST
            delay, times = latest * 10 ** rng.uniform(-4, 0), int(rng.integers(1, 3))
            took[name].append(interrupted(striker, delay, times, call))
            if check() != expected[name]:
                sys.exit(f"{name}: after interrupt {k} the result is another one")
    for name, times_of in took.items():
        if times_of:
            middle, worst = np.median(times_of), max(times_of)
            print(f"{name:22} {len(times_of):4} median {middle:.3f} s, longest {worst:.3f} s")
    print(f"{sum(map(len, took.values()))} interrupts")


if __name__ == "__main__":
    main()

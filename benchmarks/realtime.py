"""How well live runs keep the clock at 1 kHz on this machine, as it is now.

    python benchmarks/realtime.py [--seconds 10]

- A PUMA 560 that a law holds, which steps in native code; the same, recorded.
- The same held by a Python function, which is looked at in every step.
- An excavator with cylinders, in loam, whose thread asks to go before all others.

Each runs alone, and beside a Python thread that computes all the time. There is no target: what
else this machine does counts more than anything here. A deadline is missed when a step is not done
as the next is due.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

import phalanx as px

TARGET, STIFFNESS, DAMPING = 0.5, 400.0, 60.0


def held(seconds: float, control: Any = None, **options: Any) -> px.LiveRun:
    """A PUMA that is held where it should be."""
    law = px.proportional_derivative([TARGET] * 6, stiffness=STIFFNESS, damping=DAMPING)
    setup = px.Setup(px.library.puma560(), control=control or law)
    return px.LiveRun(setup, **{"step": 1e-3, "duration": seconds} | options)


def by_function(t: float, q: Any, v: Any) -> Any:
    """The same law in Python."""
    return STIFFNESS * (TARGET - np.asarray(q)) - DAMPING * np.asarray(v)


def excavator(seconds: float) -> str:
    """Somebody's sticks, which nobody touches."""
    live = px.excavator.LiveExcavator(
        px.excavator.cylinder_excavator(step=1e-3, ground=px.ground.Ground())
    )
    live.loop.resume()
    ends = threading.Timer(seconds, live.loop.stop)
    ends.start()
    timing = live.run.run()
    return f"{timing}; priority {live.run.priority}"


@contextmanager
def busy() -> Iterator[None]:
    """A Python thread that computes all the time."""
    done = threading.Event()

    def compute() -> None:
        while not done.is_set():
            sum(range(1000))

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def main() -> None:
    """Let them run one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    seconds = parser.parse_args().seconds
    runs = {
        "PUMA, law": lambda: str(held(seconds).run()),
        "PUMA, law, recorded": lambda: str(held(seconds, record=True).run()),
        "PUMA, Python function": lambda: str(held(seconds, control=by_function).run()),
        "excavator, loam": lambda: excavator(seconds),
    }
    for name, run in runs.items():
        for beside, how in (("alone", nullcontext()), ("beside a busy thread", busy())):
            with how:
                print(f"{name}, {beside}: {run()}", flush=True)


if __name__ == "__main__":
    main()

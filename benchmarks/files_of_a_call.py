"""How many files of Phalanx a first call runs through: what there is to read for it.

    python benchmarks/files_of_a_call.py [--only simulate sweep] [--list]

Counts source files in which a function runs (importing a module does not count): until the answer
of ``load``, inverse dynamics, a rollout and a sweep, until the first question of ``simulate`` to
its controller, and until the first telemetry of an excavator's cockpit. Every call is the first of
a new process that finds no machine code on the disk.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import phalanx as px

ROOT = Path(px.__file__).parent


def load() -> None:
    """A robot from its URDF file."""
    px.load("robot:ur5_robot")


def inverse_dynamics() -> None:
    """Joint torques of a double pendulum."""
    px.Dynamics(px.library.double_pendulum()).inverse_dynamics(*np.zeros((3, 2)))


def rollout() -> None:
    """Four runs of a double pendulum."""
    px.rollout(px.library.double_pendulum(), np.zeros((4, 2)), np.zeros((4, 2)), steps=2)


def simulate() -> None:
    """One run of a double pendulum, until its controller is asked."""

    def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        stop_counting()
        return np.zeros(2)

    px.simulate(px.library.double_pendulum(), duration=2e-3, control=control)


def sweep() -> None:
    """Four cases of a rollout."""
    run = px.sweeps.Rollout(px.library.double_pendulum(), steps=2)
    px.sweep(run, px.sweeps.Grid({"q0[0]": [0.0, 0.1, 0.2, 0.3]}))


def cockpit() -> None:
    """An excavator in its cockpit, until it tells where it is."""
    from phalanx.cli.excavator import find_ground
    from phalanx.view.cockpit.cockpit import Cockpit

    excavator = px.excavator.cylinder_excavator(ground=find_ground("sand"))
    with tempfile.TemporaryDirectory() as folder:
        live = px.excavator.LiveExcavator(excavator, folder=folder)
        machine = cockpit_machine(live)
        with Cockpit(machine, port=0):
            machine.telemetry()
            stop_counting()


def cockpit_machine(live: Any) -> Any:
    """What the page of a cockpit asks."""
    try:
        from phalanx.machines.excavator.cockpit import ExcavatorMachine
    except ImportError:  # before special machines had a room
        from phalanx.excavator.cockpit import ExcavatorMachine
    return ExcavatorMachine(live)


CALLS: dict[str, Callable[[], None]] = {
    call.__name__: call for call in (load, inverse_dynamics, rollout, simulate, sweep, cockpit)
}


def stop_counting() -> None:
    """The call has its answer."""
    sys.setprofile(None)
    threading.setprofile(None)


def files_of(call: Callable[[], None]) -> set[str]:
    """The files, relative to the package."""
    seen: set[str] = set()

    def notice(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(frame.f_code.co_filename)

    threading.setprofile(notice)
    sys.setprofile(notice)
    try:
        call()
    finally:
        stop_counting()
    paths = (Path(name) for name in seen)
    return {str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(ROOT)}


def in_new_processes(name: str) -> list[str]:
    """The files of a call: in a process that imports beforehand what another one needed."""
    modules = _answer("--modules-of", name)
    return _answer("--here", name, "--after", *modules)


def _answer(*arguments: str) -> list[str]:
    with tempfile.TemporaryDirectory() as cache:
        found = subprocess.run(
            [sys.executable, __file__, *arguments],
            env=os.environ | {"PHALANX_CACHE_DIR": cache},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return found.stdout.splitlines()[-1].split()


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=CALLS, help="these calls alone")
    parser.add_argument("--list", action="store_true", help="name the files")
    parser.add_argument("--modules-of", choices=CALLS, help=argparse.SUPPRESS)
    parser.add_argument("--here", choices=CALLS, help=argparse.SUPPRESS)
    parser.add_argument("--after", nargs="+", default=(), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.modules_of:
        CALLS[options.modules_of]()
        print(*sorted(module for module in sys.modules if module.partition(".")[0] == "phalanx"))
        return
    if options.here:
        for module in options.after:
            importlib.import_module(module)
        print(*sorted(files_of(CALLS[options.here])))
        return
    for name in options.only or CALLS:
        files = in_new_processes(name)
        rooms = Counter(file.partition("/")[0] for file in files)
        print(f"{name}: {len(files)} files;", ", ".join(f"{r} {n}" for r, n in rooms.most_common()))
        if options.list:
            print("  " + "\n  ".join(files))


if __name__ == "__main__":
    main()

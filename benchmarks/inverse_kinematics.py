"""Inverse kinematics of arms with seven joints: how many targets, how fast, against other solvers.

    python benchmarks/inverse_kinematics.py [--targets 20000] [--robots robot:panda robot:xarm7]
        [--toolbox PYTHON] [--mink PYTHON] [--pink PYTHON]

Targets are poses of random postures within the limits. Each solver finds postures within the limits
to 1e-8 m and rad by its own account, on one thread, from starts of its own; forward kinematics says
how many are. Solvers take turns, and the best turn of each counts. Others may need versions of
packages of their own: give the interpreter of an environment that has one,

    python -m venv rtb && rtb/bin/pip install roboticstoolbox-python
    python -m venv mink && mink/bin/pip install mink daqp
    python -m venv pink && pink/bin/pip install pin-pink daqp

The promise: 99.5 % of the targets solved, ten times as fast a target as the compiled solver of the
Robotics Toolbox. Exits with 1 where it is broken.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import phalanx as px
from inverse_kinematics_peers import FEW, INSTALL
from phalanx.bench.host import host
from phalanx.cli.models import find_model

TOLERANCE, ROUGHLY = 1e-8, 1e-6  # [m and rad]
SOLVED, FASTER = 0.995, 10.0
ROUNDS = 5


def arm(name: str) -> tuple[px.Mechanism, str]:
    """A robot without what moves at its hand, and the frame that is brought to targets."""
    whole = find_model(name)
    chain = [j for j in whole.moving_joints if "finger" not in j.name and "drive" not in j.name]
    chain = [j for j in chain if "knuckle" not in j.name][:7]
    others = {j.name: 0.0 for j in whole.moving_joints if j not in chain}
    return px.lock(whole, others) if others else whole, chain[-1].child


def constants(mechanism: px.Mechanism, frame: str) -> np.ndarray:
    """Poses between joints that turn about z: the arm is the product of C0 Rz(q1) C1 … C7."""
    d = px.Dynamics(mechanism, threads=1)
    zero = mechanism.neutral()
    places = []
    for joint in mechanism.moving_joints:
        X = d.forward_kinematics(zero, frame=joint.child)
        places.append(px.Pose(X[:3, :3], X[:3, 3]) @ px.Pose(_onto(joint.motion.axis)))
    end = d.forward_kinematics(zero, frame=frame)
    places.append(px.Pose(end[:3, :3], end[:3, 3]))
    between = [places[0], *(a.inverse() @ b for a, b in itertools.pairwise(places))]
    return np.array([pose.matrix for pose in between])


def _onto(axis: np.ndarray) -> np.ndarray:
    """A rotation that takes z to an axis."""
    x = np.cross([0.0, 1.0, 0.0] if abs(axis[1]) < 0.9 else [1.0, 0.0, 0.0], axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


class Worker:
    """Another solver in a process of its own, which takes its turn when it is told to."""

    def __init__(self, name: str, python: str, problem: Path) -> None:
        """Start it; ``missing`` says so where it is not installed."""
        self.name = name
        script = Path(__file__).with_name("inverse_kinematics_peers.py")
        self._process = subprocess.Popen(
            [python, str(script), name, str(problem)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.what = self._line()
        self.missing = not self.what

    def turn(self) -> float:
        """Solve all targets; the time it took [s]."""
        print("go", file=self._process.stdin, flush=True)
        return float(self._line())

    def end(self) -> np.ndarray:
        """End it; the postures, NaN where it found none."""
        print("end", file=self._process.stdin, flush=True)
        found = np.array(json.loads(self._line()))
        self._process.wait()
        return found

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def solved(mechanism: px.Mechanism, frame: str, q: np.ndarray, X: np.ndarray) -> str:
    """How many postures are within limits and at their targets, in words."""
    strictly, roughly = (
        float(_is_solved(mechanism, frame, q, X, tolerance).mean())
        for tolerance in (TOLERANCE, ROUGHLY)
    )
    return f"{100 * strictly:6.2f} % solved to {TOLERANCE:g}, {100 * roughly:6.2f} % to {ROUGHLY:g}"


def _is_solved(
    mechanism: px.Mechanism, frame: str, q: np.ndarray, X: np.ndarray, tolerance: float
) -> np.ndarray:
    """Which postures are within limits and at their targets, by forward kinematics."""
    limits = mechanism.per_freedom("lower"), mechanism.per_freedom("upper")
    good = np.isfinite(q).all(axis=-1)
    found = px.Dynamics(mechanism).forward_kinematics(np.where(good[:, None], q, 0.0), frame=frame)
    near = np.linalg.norm(found[:, :3, 3] - X[:, :3, 3], axis=-1) <= 1.01 * tolerance
    turned = (
        np.linalg.norm(found[:, :3, :3] - X[:, :3, :3], axis=(-1, -2))
        <= 1.01 * np.sqrt(2) * tolerance
    )
    within = ((q >= limits[0] - 1e-12) & (q <= limits[1] + 1e-12)).all(axis=-1)
    return good & near & turned & within


def compare(name: str, count: int, pythons: dict[str, str]) -> bool:
    """Measure one robot; whether promises are kept."""
    mechanism, frame = arm(name)
    q = mechanism.random_positions(count, seed=1)
    X = px.Dynamics(mechanism).forward_kinematics(q, frame=frame)
    ik = px.InverseKinematics(mechanism, frame, threads=1)
    started = time.perf_counter()
    ik.solve(X[:1])
    ready = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.npz"
        limits = [mechanism.per_freedom(end) for end in ("lower", "upper")]
        np.savez(problem, between=constants(mechanism, frame), limits=limits, targets=X)
        workers = [Worker(peer, python, problem) for peer, python in pythons.items()]
        there = [worker for worker in workers if not worker.missing]
        ours, theirs = np.inf, {worker.name: np.inf for worker in there}
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            found = ik.solve(X)
            ours = min(ours, (time.perf_counter() - begin) / count)
            for worker in there:
                each = worker.turn() / min(FEW[worker.name], count)
                theirs[worker.name] = min(theirs[worker.name], each)
        one = min(_one(ik, X[k], q[k]) for k in range(200))
        rate = float(_is_solved(mechanism, frame, found.q, X, TOLERANCE).mean())
        print(
            f"\n{mechanism.name}, frame {frame}, {count} targets to {TOLERANCE:g} m and rad, one "
            f"thread each, best of {ROUNDS} turns\n"
            f"  {'phalanx, a batch':34}{1e6 * ours:10.2f} µs a target  "
            f"{solved(mechanism, frame, found.q, X)}   (ready in {ready:.2f} s; "
            f"{found.steps.mean():.1f} steps, at most {found.start.max() + 1} starts)\n"
            f"  {'phalanx, one at a time, near':34}{1e6 * one:10.2f} µs a target"
        )
        kept = rate >= SOLVED
        for worker in there:
            count_of_worker = min(FEW[worker.name], count)
            share = solved(mechanism, frame, worker.end(), X[:count_of_worker])
            ratio = theirs[worker.name] / ours
            print(
                f"  {worker.what:34}{1e6 * theirs[worker.name]:10.2f} µs a target  "
                f"{share}   {ratio:.0f} times as long"
            )
            kept &= worker.name != "toolbox" or ratio >= FASTER
        for worker in workers:  # a promise against one that is not there is not looked at
            if worker.missing:
                print(f"  {worker.name}: not installed here; {INSTALL[worker.name]}")
    return kept


def _one(ik: px.InverseKinematics, X: np.ndarray, q: np.ndarray) -> float:
    """The time of one call that starts near its target [s]."""
    begin = time.perf_counter()
    ik.solve(X, q + 0.05)
    return time.perf_counter() - begin


def main() -> int:
    """Run all robots; 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=int, default=20000)
    parser.add_argument("--robots", nargs="+", default=["robot:panda", "robot:xarm7"])
    for peer in FEW:
        parser.add_argument(f"--{peer}", default=sys.executable, help="an interpreter that has it")
    options = parser.parse_args()
    print(", ".join(f"{name} {value}" for name, value in host().items()))
    pythons = {peer: getattr(options, peer) for peer in FEW}
    kept = [compare(name, options.targets, pythons) for name in options.robots]
    print(f"\npromise: {100 * SOLVED} % solved, {FASTER:g} times as fast as the toolbox: ", end="")
    print("pass" if all(kept) else "miss")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())

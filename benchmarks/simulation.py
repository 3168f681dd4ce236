"""The speeds that simulation promises, measured on this machine: a table with pass or miss.

    python benchmarks/simulation.py [--quick] [--json out.json]

- Rollouts: 1024 runs of 200 steps (Runge-Kutta 4, 1 ms, torques of every step given, all states
  kept) against ``mujoco.rollout`` with the same machine, method, step and torques, without contacts
  and constraints, on one thread. MuJoCo takes its runs one after the other, so it gets a share of
  them and the time of a step is compared. Final states must agree before anything is timed.
- Threads: the same rollouts on two threads over one.
- Single runs: ``px.simulate`` of a UR5 with a controller in Python at 1 kHz.
- Second calls: ``px.rollout`` with an equal description over a kept ``px.CompiledRollout``, and
  the time that ``px.simulate`` takes before its first step.

Contestants take turns and the best turn counts; see phalanx.bench.clock. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import phalanx as px
from phalanx.bench.clock import TimingEffort, take_turns
from phalanx.bench.peers.mujoco import build_model
from phalanx.cli.models import find_model

MODELS = {"UR5": "robot:ur5_robot", "Panda": "robot:panda", "Talos": "robot:talos_full_v2"}
FASTER = {"UR5": 20.0, "Panda": 20.0, "Talos": 8.0}
RUNS, STEPS, STEP = 1024, 200, 1e-3
# rounding in 200 steps; a run that falls through a singular posture may amplify it
AGREE = 1e-9


@dataclass(frozen=True)
class Outcome:
    """Something measured, and what it should be at least, or at most."""

    what: str
    robot: str
    limit: float
    value: float
    at_least: bool = True
    detail: str = ""
    fair: bool = True  # whether other programs left what the measurement needs

    @property
    def met(self) -> bool:
        """Whether the value is good enough."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    @property
    def verdict(self) -> str:
        """Pass or miss, or neither where other programs were in the way."""
        if self.met:
            return "[green]pass[/]"
        return "[bold red]miss[/]" if self.fair else "[yellow]busy[/]"


def peer(
    mechanism: px.Mechanism, q: np.ndarray, v: np.ndarray, tau: np.ndarray
) -> tuple[Callable[[], object], np.ndarray]:
    """A call of ``mujoco.rollout`` on one thread, and where it leaves all states."""
    model = build_model(mechanism)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    runs = len(q)
    models = [model] * runs  # as it wants them, unless it is to check everything first
    initial = np.concatenate([np.zeros((runs, 1)), q, v], axis=1)
    assert mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS) == initial.shape[1]
    state = np.empty((runs, STEPS, initial.shape[1]))
    sensors = np.empty((runs, STEPS, model.nsensordata))

    def call() -> object:
        return mujoco.rollout.rollout(
            models,
            [data],
            initial,
            tau,
            control_spec=int(mujoco.mjtState.mjSTATE_QFRC_APPLIED),
            skip_checks=True,
            nstep=STEPS,
            state=state,
            sensordata=sensors,
        )

    return call, state


def rollouts(robot: str, effort: TimingEffort, share: int) -> list[Outcome]:
    """Ours on one and two threads, and MuJoCo's."""
    # a finger that follows another is a constraint in MuJoCo: let it move by itself in both
    mechanism = px.release_mimics(find_model(MODELS[robot]))
    rng = np.random.default_rng(0)
    q = np.clip(mechanism.random_positions(RUNS, rng), -1.0, 1.0)
    v = 0.5 * rng.standard_normal((RUNS, mechanism.nv))
    # within what the limbs can bear: a hundredth of their weight's torques at random
    weight = np.abs(px.Dynamics(mechanism).gravity(q)).mean(axis=0)
    tau = 0.01 * weight * rng.standard_normal((RUNS, STEPS, mechanism.nv))

    loops = {
        n: px.CompiledRollout(px.Setup(mechanism, forces=()), step=STEP, threads=n) for n in (1, 2)
    }
    theirs, state = peer(mechanism, q[:share], v[:share], tau[:share])
    theirs()
    ours = loops[1](q, v, steps=STEPS, tau=tau)
    final = np.concatenate([ours.final_q, ours.final_v], axis=1)[:share]
    difference = np.abs(final - state[:, -1, 1:]).max(axis=1)
    middle, most = np.median(difference), np.quantile(difference, 0.9)
    if not (middle < AGREE and most < 100 * AGREE):
        raise SystemExit(f"{robot}: final states differ by {middle:.1e}, {most:.1e}; not timed.")

    timings = take_turns(
        {
            "one": lambda: loops[1](q, v, steps=STEPS, tau=tau),
            "two": lambda: loops[2](q, v, steps=STEPS, tau=tau),
            "MuJoCo": theirs,
        },
        effort,
    )
    one, two = (timings[name].per(RUNS * STEPS) for name in ("one", "two"))
    mujoco_step = timings["MuJoCo"].per(share * STEPS)
    noise = max(t.median / t.best for t in timings.values()) - 1
    detail = (
        f"{one.best:.0f} ns a step against {mujoco_step.best:.0f}; states agree to {middle:.0e}; "
        f"medians up to {100 * noise:.0f} % above"
    )
    had = f"the two had {two.processors:.1f} processors"
    fair = two.processors > 1.7
    return [
        Outcome(
            "rollout vs mujoco.rollout, 1 thread",
            robot,
            FASTER[robot],
            mujoco_step.best / one.best,
            detail=detail,
        ),
        Outcome(
            "rollout, 2 threads over 1", robot, 1.8, one.best / two.best, detail=had, fair=fair
        ),
    ]


def single_runs(rounds: int, duration: float = 5.0) -> list[Outcome]:
    """A controller in Python at 1 kHz, with and without recording, in turns."""
    arm = find_model(MODELS["UR5"])
    goal = np.array([0.5, -1.0, 1.0, -0.5, 0.3, 0.2])
    kp, kd = 200.0, 20.0

    def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return kp * (goal - q) - kd * v

    def wall_time(**options: object) -> float:
        recording = px.simulate(
            arm, duration=duration, step=STEP, control=control, forces=(), **options
        )
        assert np.abs(recording["q"][-1] - goal).max() < 0.5  # it does hold the arm
        return float(recording.settings["wall_time"])  # of the loop, without compilation

    steps = round(duration / STEP)
    times: dict[str, list[float]] = {"off": [], "memory": [], "file": []}
    with tempfile.TemporaryDirectory() as folder:
        ways = {
            "off": {"every": steps},
            "memory": {"every": 1},
            "file": {"every": 1, "path": Path(folder) / "run.mcap"},
        }
        for _ in range(rounds):
            for name, options in ways.items():
                times[name].append(wall_time(**options))
    best = {name: min(taken) for name, taken in times.items()}
    per_step = (
        f"{1e6 * best['memory'] / steps:.1f} µs a step, {1e6 * best['off'] / steps:.1f} without"
    )
    return [
        Outcome(
            "simulate, controller in Python at 1 kHz, times real time",
            "UR5",
            50,
            duration / best["memory"],
            detail=per_step,
        ),
        Outcome(
            "recording in memory, share of the run",
            "UR5",
            0.2,
            best["memory"] / best["off"] - 1,
            False,
        ),
        Outcome(
            "recording to a file, share of the run",
            "UR5",
            0.2,
            best["file"] / best["off"] - 1,
            False,
        ),
    ]


def second_calls(effort: TimingEffort, rounds: int) -> list[Outcome]:
    """What an equal description costs when it is given again."""
    runs = 256
    arm = find_model(MODELS["UR5"])
    q = np.clip(arm.random_positions(runs), -1.0, 1.0)
    v, tau = np.zeros((runs, arm.nv)), np.zeros((runs, STEPS, arm.nv))
    kept = px.CompiledRollout(px.Setup(arm, forces=()), step=STEP, threads=1)
    timings = take_turns(
        {
            "second": lambda: px.rollout(
                arm, q, v, steps=STEPS, tau=tau, step=STEP, forces=(), threads=1
            ),
            "kept": lambda: kept(q, v, steps=STEPS, tau=tau),
        },
        effort,
    )
    waits = [before_the_first_step(arm) for _ in range(rounds + 1)][1:]
    second, first = timings["second"].best, timings["kept"].best
    return [
        Outcome(
            f"a second rollout over a kept one, {runs} runs",
            "UR5",
            1.1,
            second / first,
            False,
            detail=f"{second / 1e6:.2f} ms against {first / 1e6:.2f}",
        ),
        Outcome(
            "a second simulate, before its first step [ms]",
            "UR5",
            2.0,
            1e3 * min(waits),
            False,
            detail=f"median {1e3 * float(np.median(waits)):.2f} ms",
        ),
    ]


def before_the_first_step(arm: px.Mechanism) -> float:
    """Time from a call of ``px.simulate`` until its controller is asked first [s]."""
    asked: list[float] = []

    def control(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        asked.append(time.perf_counter())
        return np.zeros(arm.nv)

    begin = time.perf_counter()
    px.simulate(arm, duration=2 * STEP, step=STEP, control=control)
    return asked[0] - begin


def report(
    console: Console, outcomes: list[Outcome], title: str, column: str, path: Path | None
) -> int:
    """Print the table, and write it to a file if wanted; 1 when a target is missed."""
    table = Table(title=f"targets of {title}", title_justify="left")
    table.add_column("what")
    for head in (column, "target", "measured", ""):
        table.add_column(head, justify="right", no_wrap=True)
    for outcome in outcomes:
        table.add_row(
            escape(outcome.what),
            escape(outcome.robot),
            f"{'≥' if outcome.at_least else '≤'} {outcome.limit:g}",
            f"{outcome.value:.3g}",
            outcome.verdict,
        )
    console.print(table)
    for outcome in outcomes:
        if outcome.detail:
            console.print(f"{outcome.robot}, {outcome.what}: {outcome.detail}", highlight=False)
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    console.print(f"MuJoCo {mujoco.__version__}; {os.cpu_count()} processors, load {load}")
    if path:
        path.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=2))
    return 0 if all(outcome.met or not outcome.fair for outcome in outcomes) else 1


def main() -> int:
    """Measure, print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--peer-runs", type=int, default=64, help="runs that MuJoCo takes")
    parser.add_argument("--json", type=Path, help="write the outcomes")
    options = parser.parse_args()
    console = Console()
    effort = TimingEffort(turn=1e-3, rounds=2 if options.quick else 5)

    outcomes = []
    for robot in MODELS:
        with console.status(f"measuring {robot} …"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes += rollouts(robot, effort, options.peer_runs)
    with console.status("measuring single runs …"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes += single_runs(3 if options.quick else 10)

    with console.status("measuring second calls …"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes += second_calls(effort, 5 if options.quick else 30)

    return report(console, outcomes, "simulation", "robot", options.json)


if __name__ == "__main__":
    sys.exit(main())

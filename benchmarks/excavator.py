"""The speeds that excavators promise, measured on this machine: a table with pass or miss.

    python benchmarks/excavator.py [--quick] [--json out.json]
    python benchmarks/excavator.py --rest 4096

Two machines, in float64: Wong's with rotary actuators (4 joints, 8 pressures) and the one with
cylinders (6 joints, a loop, 9 pressures on one pump), each in the air and in loam; the latter's
method looks ahead along pressures, so it is also tried at 2 ms.

- A derivative: rates of machine, hydraulics, control and ground, one call from Python.
- A run: 15 s on one thread, as ``px.simulate`` takes it with everything recorded, and as a
  native loop that keeps the last state alone.
- A fleet: machines with loads and operators of their own on one and two threads.
- The peer: ``mujoco.rollout``, one thread, Runge-Kutta 4 at 1 ms, with Wong's four links and
  hinges. It has no hydraulics, no valves, no sampled control and no ground, which is what most of
  our time goes into; the ratio says that having them costs no more than its rigid bodies.

With ``--rest`` no speed is measured: so many machines over the whole envelope of postures, loads
and sticks are let go in each mode, and all joints have to rest within 3 s.

Contestants take turns and the best turn counts; see phalanx.bench.clock. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import mujoco
import mujoco.rollout
import numpy as np
from rich.console import Console

import phalanx as px
from phalanx.bench.clock import TimingEffort, take_turns
from phalanx.bench.peers.mujoco import build_model
from phalanx.ground import Ground
from phalanx.machines.excavator import Excavator, cylinder_excavator, rotary_excavator
from phalanx.machines.excavator.control import MODES
from phalanx.machines.excavator.fleet import Fleet
from phalanx.machines.excavator.settling_test import STILL, Releases
from phalanx.machines.excavator.summary_figures import NAMES
from phalanx.simulation.run.plant import Plant
from simulation import Outcome, report

STEP, DURATION = 1e-3, 15.0
DERIVATIVE, REAL_TIME, FLEET = 2.0, 500.0, 2000.0  # [µs], times, machine-seconds a second
MACHINES, FLEET_STEPS, ROWS = 1024, 200, 15
PEER_RUNS = 64
RESTS, CHUNK = 3.0, 1024  # [s], cases in one call
ENOUGH = 1.8  # of two processors, for two threads to show what they can do


def excavators() -> dict[str, Excavator]:
    """The contestants, by name."""
    made = {}
    for name, make in (("rotary", rotary_excavator), ("cylinders", cylinder_excavator)):
        made[name] = make(step=STEP)
        made[f"{name}, loam"] = make(step=STEP, ground=Ground())
    made["cylinders, 2 ms"] = cylinder_excavator(step=2 * STEP)
    return made


def derivatives(machines: dict[str, Excavator], effort: TimingEffort) -> list[Outcome]:
    """One evaluation of the rates, from Python."""
    calls: dict[str, Callable[[], object]] = {}
    for name, machine in machines.items():
        plant = Plant(machine.setup)
        function, symbols = plant.field()
        kernel = px.compile(function)
        told = {key: np.asarray(value, float) for key, value in plant.layout.defaults.items()}
        q = machine.q0
        state = (
            np.zeros(1),
            q,
            np.zeros(machine.mechanism.nv),
            plant.layout.subsystems.initial(q),
        )
        values = (*state, *(told[key] for key in symbols))
        assert all(np.isfinite(part).all() for part in kernel(*values))
        calls[name] = lambda call=kernel.call, values=values: call(*values)
    return [
        Outcome("a derivative [µs]", name, DERIVATIVE, timing.best / 1e3, False)
        for name, timing in take_turns(calls, effort).items()
    ]


def runs(machines: dict[str, Excavator], effort: TimingEffort) -> list[Outcome]:
    """Fifteen seconds of one machine: recorded, and as a loop."""
    walls: dict[str, list[float]] = {name: [] for name in machines}
    loops: dict[str, Callable[[], object]] = {}
    for name, machine in machines.items():
        steps = round(DURATION / machine.step)
        sticks = machine.commands([0.2, 0.1, -0.1, 0.2], "JOINT")
        moves = px.Profile(np.array([0.0, 5.0, 10.0]), np.outer([0, 1, 0], sticks))
        for _ in range(effort.rounds):
            walls[name].append(machine.run(moves, DURATION).settings["wall_time"])
        loop = machine.rollouts(record=(), threads=1)
        still = np.zeros(machine.mechanism.nv)
        # where the oil's pressures begin is found once, as in a run
        begin = {
            "inputs": {"operator": 0.2 * sticks},
            "states": loop.layout.subsystems.split(loop.layout.subsystems.initial(machine.q0)),
        }
        ended = loop(machine.q0, still, steps=steps, **begin)
        assert np.isfinite(ended.final_q).all()
        loops[name] = lambda loop=loop, q=machine.q0, v=still, n=steps, begin=begin: loop(
            q, v, steps=n, **begin
        )
    timings = take_turns(loops, effort)
    recorded = [
        Outcome("px.simulate, times real time", name, REAL_TIME, DURATION / min(taken))
        for name, taken in walls.items()
    ]
    native = [
        Outcome("native loop, times real time", name, REAL_TIME, DURATION / (1e-9 * timing.best))
        for name, timing in timings.items()
    ]
    return recorded + native


def peer() -> Callable[[], object]:
    """MuJoCo's steps of four hinges."""
    mechanism = px.library.cat215b()
    model = build_model(mechanism)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    q = rotary_excavator().q0
    initial = np.tile(np.concatenate([[0.0], q, np.zeros(mechanism.nv)]), (PEER_RUNS, 1))
    # torques that hold the weight, so that nothing swings out of all proportion
    tau = np.tile(px.Dynamics(mechanism).gravity(q), (PEER_RUNS, FLEET_STEPS, 1))
    models = [model] * PEER_RUNS
    return lambda: mujoco.rollout.rollout(
        models,
        [data],
        initial,
        tau,
        control_spec=int(mujoco.mjtState.mjSTATE_QFRC_APPLIED),
        skip_checks=True,
        nstep=FLEET_STEPS,
        state=np.empty((PEER_RUNS, FLEET_STEPS, initial.shape[1])),
        sensordata=np.empty((PEER_RUNS, FLEET_STEPS, model.nsensordata)),
    )


def fleets(machines: dict[str, Excavator], effort: TimingEffort) -> list[Outcome]:
    """Machine-seconds a second on one and two threads, and steps against the peer's."""
    outcomes: list[Outcome] = []
    calls: dict[str, Callable[[], object]] = {"peer": peer()}
    for name, machine in machines.items():
        seconds = FLEET_STEPS * machine.step
        for threads in (1, 2):
            fleet = Fleet.make(machine, MACHINES, rows=ROWS, hold=seconds / ROWS, threads=threads)
            if threads == 1:
                lost = fleet.run(seconds).summary().lost
                outcomes.append(Outcome("fleet, machines lost", name, 0, lost, False))
            calls[f"{name} {threads}"] = lambda fleet=fleet, lasts=seconds: fleet.run(lasts)
    timings = take_turns(calls, effort)
    for name, machine in machines.items():
        seconds = FLEET_STEPS * machine.step
        for threads in (1, 2):
            timing = timings[f"{name} {threads}"]
            outcomes.append(
                Outcome(
                    f"fleet, {threads} thread{'s'[: threads - 1]}, machine-seconds a second",
                    name,
                    FLEET if threads == 2 else FLEET / 2,
                    MACHINES * seconds / (1e-9 * timing.best),
                    detail=f"{timing.processors:.2f} processors",
                    fair=threads == 1 or timing.processors > ENOUGH,
                )
            )
    theirs = timings["peer"].best / (PEER_RUNS * FLEET_STEPS)
    for name in machines:
        ours = timings[f"{name} 1"].best / (MACHINES * FLEET_STEPS)
        outcomes.append(
            Outcome(
                "MuJoCo's step of four bare hinges over ours with everything, one thread",
                name,
                1.0,
                theirs / ours,
                detail=f"{theirs:.0f} ns against {ours:.0f} ns a step",
            )
        )
    return outcomes


def rests(cases: int) -> list[Outcome]:
    """Largest speed 3 s after sticks are let go, over the whole envelope."""
    machines = {
        "cylinders": cylinder_excavator(step=STEP),
        "cylinders, 2 ms": cylinder_excavator(step=2 * STEP),
        "rotary": rotary_excavator(step=STEP, settles=True),
        "rotary, 10 ms": rotary_excavator(settles=True),
    }
    outcomes = []
    for name, machine in machines.items():
        for mode in MODES:
            speeds, times = [], []
            for seed, first in enumerate(range(0, cases, CHUNK)):
                after = Releases.draw(min(CHUNK, cases - first), seed).run(machine, mode)
                speeds.append(after.fastest_after(RESTS))
                times.append(after.time_to_rest())
            speed, taken = np.concatenate(speeds).max(axis=0), np.concatenate(times)
            joints = ", ".join(f"{joint} {x:.4f}" for joint, x in zip(NAMES, speed, strict=True))
            slowest, usual = taken.max(), np.quantile(taken.max(axis=1), 0.95)
            outcomes.append(
                Outcome(
                    f"fastest joint {RESTS:g} s after release, rad/s",
                    f"{name}, {mode}",
                    STILL,
                    float(speed.max()),
                    False,
                    detail=f"{joints}; rests after {usual:.2f} s in 95 %, {slowest:.2f} s at most",
                )
            )
    return outcomes


def main() -> int:
    """Measure, print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--rest", type=int, metavar="CASES", help="whether machines come to rest")
    parser.add_argument("--json", type=Path, help="write the outcomes")
    options = parser.parse_args()
    console = Console()
    if options.rest:
        with console.status("letting go …"):
            outcomes = rests(options.rest)
        return report(console, outcomes, "excavators at rest", "machine, mode", options.json)
    effort = TimingEffort(turn=1e-3, rounds=2 if options.quick else 5)
    with console.status("compiling …"):
        machines = excavators()
    outcomes = []
    for what, measure in (("derivatives", derivatives), ("runs", runs), ("fleets", fleets)):
        with console.status(f"measuring {what} …"):
            outcomes += measure(machines, effort)
    return report(console, outcomes, "excavators", "machine", options.json)


if __name__ == "__main__":
    sys.exit(main())

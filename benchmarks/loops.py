"""Machines with loops, against MuJoCo: batched forward dynamics, steps, and loops that stay closed.

    python benchmarks/loops.py [--quick] [--json out.json]
    python benchmarks/loops.py --passages

- Forward dynamics: batches of 8192 closed states, one thread, against one step of MuJoCo with the
  same machine and equality constraints, by ``mujoco.rollout`` on one thread (semi-implicit Euler,
  its cheapest integrator, contacts off).
- Steps: ``px.rollout`` with semi-implicit Euler and with Runge-Kutta 4, both ending every step
  where the loops are closed, against the same.
- Drift: the largest opening of a loop and the error of the energy balance in a minute at 1 ms, the
  machine rocked by its motors, relative to how much the energy changes.
- Passages (alone, on request): a parallelogram through its flat posture for five seconds, at steps
  from 1 to 0.02 ms; at most 1e-6 J may be missing.

Contestants take turns and the best turn counts; see phalanx.bench.clock. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path

import casadi as ca
import mujoco
import mujoco.rollout
import numpy as np
from casadi import SX
from rich.console import Console
from rich.table import Table

import phalanx as px
from phalanx.bench.clock import TimingEffort, take_turns
from phalanx.bench.peers.mujoco import build_model
from phalanx.equations.loops.assembly.closed_loops import closed_loops

TIMED = ("planar_3rrr", "four_bar", "slider_crank", "five_bar")
ALL = (*TIMED, "delta", "stewart", "bucket_linkage")
LEAST = 30.0
BATCH, RUNS, STEPS, STEP = 8192, 256, 100, 1e-3


def closed_states(mechanism: px.Mechanism, count: int) -> tuple[np.ndarray, np.ndarray]:
    """States near the zero posture, some of them found and the rest repeated."""
    rng = np.random.default_rng(0)
    found = [
        px.assemble(
            mechanism,
            mechanism.neutral() + 0.1 * rng.standard_normal(mechanism.nq),
            rng.standard_normal(mechanism.nv),
        )
        for _ in range(32)
    ]
    pick = np.arange(count) % len(found)
    return np.array([x.q for x in found])[pick], np.array([x.v for x in found])[pick]


def thick(mechanism: px.Mechanism) -> px.Mechanism:
    """The machine with a trace of inertia about every axis, since MuJoCo knows no thin rods."""
    trace = 1e-9 * np.eye(3)
    bodies = [
        replace(body, inertia=body.inertia + trace) if body.mass else body
        for body in mechanism.bodies
    ]
    return replace(mechanism, bodies=bodies)


def speeds(name: str, effort: TimingEffort) -> dict[str, float]:
    """Nanoseconds of a forward dynamics or a step."""
    mechanism = px.library.by_name(name)
    q, v = closed_states(mechanism, BATCH)
    tau = np.zeros_like(v)
    out = np.empty_like(v)
    forward = px.Dynamics(mechanism, threads=1).forward_dynamics
    # the bare machine, as the peers have it
    bare = px.Setup(mechanism, forces=())
    options = {"step": STEP, "record": ("q",), "threads": 1}
    euler = px.CompiledRollout(bare, integrator=px.SemiImplicitEuler(), **options)
    runge_kutta = px.CompiledRollout(bare, **options)
    model = build_model(thick(mechanism), same_velocities=False)
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    runs = 16
    state = np.concatenate([np.zeros((runs, 1)), q[:runs], v[:runs]], axis=1)
    applied = np.zeros((runs, STEPS, model.nv))
    models = [model] * runs
    calls = {
        "forward": lambda: forward(q, v, tau, out=out),
        "euler": lambda: euler(q[:RUNS], v[:RUNS], steps=STEPS, every=STEPS),
        "rk4": lambda: runge_kutta(q[:RUNS], v[:RUNS], steps=STEPS, every=STEPS),
        "mujoco": lambda: mujoco.rollout.rollout(
            models,
            [data],
            state,
            applied,
            control_spec=int(mujoco.mjtState.mjSTATE_QFRC_APPLIED),
            skip_checks=False,
            nstep=STEPS,
        ),
    }
    times = take_turns(calls, effort)
    samples = {"forward": BATCH, "euler": RUNS * STEPS, "rk4": RUNS * STEPS, "mujoco": runs * STEPS}
    return {key: times[key].per(samples[key]).best for key in calls}


def rocking(mechanism: px.Mechanism) -> px.Law:
    """Motors that hold the machine up and rock it about its zero posture at half a hertz.

    Their springs are those of 2 Hz with the inertia each motor feels.
    """
    motors = [joint.name for joint in mechanism.actuated_joints]
    d = px.Dynamics(mechanism, actuated=motors)
    q, v = mechanism.neutral(), np.zeros(mechanism.nv)
    where = [k for name in motors for k in range(*mechanism.v_slices[name].indices(mechanism.nv))]
    hold = d.actuation(q, v, v).tau
    still = d.forward_dynamics(q, v, v)
    gain = [1 / (d.forward_dynamics(q, v, unit)[k] - still[k]) for k, unit in _units(where, v)]

    def law(model: object, t: SX, q: SX, v: SX) -> SX:
        tau = SX.zeros(mechanism.nv, 1)
        for k, (number, inertia) in enumerate(zip(where, gain, strict=True)):
            wanted = 0.03 * ca.sin(np.pi * t + k)
            place = _position_of(mechanism, number)
            pull = (4 * np.pi) ** 2 * (wanted - q[place]) - 4 * np.pi * v[number]
            tau[number] = float(hold[k]) + inertia * pull
        return tau

    return px.Law(law)


def _units(where: list[int], zero: np.ndarray) -> list[tuple[int, np.ndarray]]:
    return [(k, np.eye(len(zero))[k]) for k in where]


def _position_of(mechanism: px.Mechanism, number: int) -> int:
    """The position whose rate a velocity is; motors turn or slide about one axis."""
    name = next(n for n, part in mechanism.v_slices.items() if part.start <= number < part.stop)
    return mechanism.q_slices[name].start


def drift(name: str, duration: float) -> tuple[float, float]:
    """Largest opening [m or rad], and error of the energy balance against the energy in motion."""
    mechanism = px.library.by_name(name)
    start = px.assemble(mechanism, mechanism.neutral())
    run = px.simulate(
        mechanism,
        start.q,
        start.v,
        duration=duration,
        step=STEP,
        every=10,
        control=rocking(mechanism),
    )
    opening = max(
        max(closed_loops(mechanism).open_loops(q, 0.0).values(), default=0.0)
        for q in run["q"][::100]
    )
    balance = run["energy"] - run["energy"][0] - run["work"] + run["loss"]
    return opening, float(np.abs(balance).max() / np.ptp(run["energy"]))


def passages() -> Table:
    """Errors of the energy of a parallelogram that lies flat on its way."""
    machine = px.library.four_bar((1, 2, 1, 2))
    along = np.array([1.0, -1.0, 1.0])
    table = Table(title="a parallelogram through its flat posture, 5 s, Runge-Kutta 4")
    for column in ("step (ms)", "energy off by (J)", ""):
        table.add_column(column, justify="right")
    for step in (1.0, 0.5, 0.2, 0.1, 0.05, 0.04, 0.03, 0.02):
        steps = round(5e3 / step)
        run = px.simulate(
            machine,
            0.5 * along,
            2 * along,
            duration=steps * step * 1e-3,
            step=step * 1e-3,
            forces=(),
        )
        off = float(np.abs(run["energy"] - run["energy"][0]).max())
        table.add_row(f"{step}", f"{off:.0e}", "[green]pass[/]" if off < 1e-6 else "[red]miss[/]")
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds, six seconds of drift")
    parser.add_argument("--passages", action="store_true", help="singular postures only")
    parser.add_argument("--json", type=Path, help="write all numbers to a file")
    options = parser.parse_args()
    effort = TimingEffort(turn=5e-3, rounds=4 if options.quick else 15)
    console = Console(width=110)
    if options.passages:
        console.print(passages())
        return
    results: dict[str, dict[str, float]] = {}

    table = Table(title="time of one step or forward dynamics (ns), one thread")
    for column in (
        "machine",
        "forward dynamics",
        "Euler step",
        "RK4 step",
        "MuJoCo step",
        "ratio",
        "",
    ):
        table.add_column(column, justify="left" if column == "machine" else "right")
    for name in TIMED:
        console.print(f"{name} …", style="dim")
        t = speeds(name, effort)
        ratio = t["mujoco"] / t["forward"]
        results[name] = t | {"ratio": ratio}
        verdict = "[green]pass[/]" if ratio >= LEAST else "[red]miss[/]"
        table.add_row(
            name,
            *(f"{t[key]:.0f}" for key in ("forward", "euler", "rk4", "mujoco")),
            f"{ratio:.0f}",
            verdict if name == "planar_3rrr" else "",
        )
    table.caption = (
        f"ratio: MuJoCo's step to our forward dynamics; at least {LEAST:.0f} for the 3-RRR"
    )
    console.print(table)

    duration = 6.0 if options.quick else 60.0
    table = Table(title=f"after {duration:.0f} s at 1 ms, Runge-Kutta 4")
    for column in ("machine", "loops open by (m or rad)", "energy off by (relative)"):
        table.add_column(column, justify="left" if column == "machine" else "right")
    for name in ALL:
        console.print(f"{name} …", style="dim")
        opening, energy = drift(name, duration)
        results.setdefault(name, {}).update(opening=opening, energy=energy)
        table.add_row(name, f"{opening:.1e}", f"{energy:.1e}")
    console.print(table)
    console.print(f"load average {os.getloadavg()[0]:.1f}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()

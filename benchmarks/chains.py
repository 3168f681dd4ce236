"""Long chains: the speeds and digits that Phalanx promises, measured on this machine.

    python benchmarks/chains.py [--quick] [--only PART ...] [--write] [--json out.json]

Parts, each with its targets (chains of rods, hinges that alternate their axes):

- ``cold``: the first forward dynamics of 10 000 and 100 000 bodies in a new process with an empty
  cache: building the machine, tracing, compiling, running. Memory of such processes, and how it
  grows from size to size.
- ``one``: one state by the serial sweep, a body at a time, against Pinocchio's ``aba`` on the
  longest chain that it can hold (its data grow with the square: 8 GB at 500 bodies); and whether
  our time grows with the number of bodies only.
- ``parallel``: one state on two threads, by the methods that are parallel inside a chain, against
  our own serial sweep.
- ``batch``: 64 states of 1000 bodies at once, a body at a time, against ``aba`` at 500.
- ``steps``: Runge-Kutta steps against MuJoCo's (contacts off), and Exudyn's fastest setting.
- ``switch``: where ``Dynamics`` unrolls no more: compiling plus 1000 calls, and a batch, as
  unrolled code and traversed.
- ``digits``: errors of all methods against fifty decimal digits; no time.
- ``lengths``: the curves of the figure, time of one evaluation against the number of bodies.

Numbers are compared before anything is timed; contestants take turns and the best turn counts; see
phalanx.bench.clock. With ``--write`` tables and figures of ``docs/chains.md`` are written anew.
Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio
from rich.console import Console

import phalanx as px
from phalanx.base.errors import PhalanxError
from phalanx.bench.chains.accuracy import SIZES, Accuracy, accuracies
from phalanx.bench.chains.extended import exact, relative_error
from phalanx.bench.chains.methods import METHODS
from phalanx.bench.chains.plot import LOOKS, Curve, plot_accuracy, plot_lengths
from phalanx.bench.chains.states import ChainStates, draw
from phalanx.bench.clock import EvaluationTime, TimingEffort, take_turns
from phalanx.bench.host import host
from phalanx.bench.peers.exudyn import build_run, tip
from phalanx.bench.peers.mujoco import build_model as mujoco_model
from phalanx.bench.peers.pinocchio import build_model as pinocchio_model
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.choice import SIZES as EVALUATOR_SIZES
from phalanx.dynamics.evaluators.method import Solver
from simulation import Outcome, report

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "chains.md"
IMAGES = ROOT / "docs" / "images"

COLD = {10_000: 3.0, 100_000: 6.0}  # [s]
FIRST = "first forward dynamics, new process, empty cache [s]"
MEMORY = 4.0  # [kB] a body
ABA_BODIES = 500
STEPS = 50  # of ours and of Exudyn
PARALLEL = {10_000: 2.5, 100_000: 3.0}
MUJOCO = {300: 20.0, 1000: 500.0}
# rounding over a chain of 500 bodies, whose accelerations have some 1e-12 between good methods
SAME = 1e-9
STEP = 1e-3
ON_ONE_THREAD = ("serial", "unrolled")

# seconds of import, of the machine, of the first number
_FIRST_CALL = """
import time
begin = time.perf_counter()
import numpy as np
import phalanx as px
px.Dynamics, px.library
imported = time.perf_counter()
machine = px.library.chain({bodies}, alternate=True)
built = time.perf_counter()
v = np.zeros(machine.nv)
a = px.Dynamics(machine).forward_dynamics(machine.neutral() + 0.1, v, v)
assert np.isfinite(a).all()
print(imported - begin, built - imported, time.perf_counter() - built)
"""

# bytes that a chain adds at most to a process which has compiled the same code before: without
# that, memory of the compiler, which does not grow, would hide what grows
_MEMORY = """
import gc, re
import numpy as np
import phalanx as px
def evaluate(bodies):
    machine = px.library.chain(bodies, alternate=True)
    v = np.zeros(machine.nv)
    d = px.Dynamics(machine)
    return machine, d, d.forward_dynamics(machine.neutral() + 0.1, v, v)
def memory(which):
    return 1024 * int(re.search(which + r":\\s+(\\d+)", open("/proc/self/status").read())[1])
kept = evaluate(5000)
gc.collect()
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
before = memory("VmRSS")
kept = kept, evaluate({bodies})
print(memory("VmHWM") - before)
"""

# seconds of the first number, of 1000 calls, of a batch
_UNROLLED_OR_NOT = """
import sys, time
import numpy as np
import phalanx as px
from phalanx.bench.chains.methods import UnrolledSolver
from phalanx.bench.chains.states import draw
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.serial import SerialSolver
machine = px.library.chain({bodies}, alternate=True)
one, many = draw(machine, "random"), draw(machine, "random", 512)
begin = time.perf_counter()
call = {solver}(bodies_of(machine), 1).accelerations
call(*one.arguments)
for _ in range(1000):
    call(*one.arguments)
lasted = time.perf_counter() - begin
call(*many.arguments)
batches = []
for _ in range(7):
    begin = time.perf_counter()
    call(*many.arguments)
    batches.append(time.perf_counter() - begin)
print(lasted, min(batches))
"""


@dataclass
class Measurements:
    """What a run has found."""

    outcomes: list[Outcome] = field(default_factory=list)
    digits: list[Accuracy] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """How to measure."""

    quick: bool
    effort: TimingEffort
    say: Callable[[str], None]


def hinges(bodies: int) -> px.Mechanism:
    """The chain of all parts."""
    return px.library.chain(bodies, alternate=True)


def call_of(solver: Solver, states: ChainStates) -> Callable[[], object]:
    """A call for all states."""
    return lambda: solver.accelerations(*states.arguments)


def solve(name: str, bodies: int, states: ChainStates, threads: int) -> Solver:
    """A method's solver, compared with the serial sweep before it is timed."""
    nodes = bodies_of(hinges(bodies))
    solver = METHODS[name].solver(nodes, threads)
    a = solver.accelerations(*states.arguments)
    serial = METHODS["serial"].solver(nodes, 1)
    agree(f"{name}, {bodies} bodies", a, serial.accelerations(*states.arguments))
    return solver


def agree(what: str, found: np.ndarray, expected: np.ndarray) -> float:
    """The difference over the largest number; ends the program when it is more than rounding."""
    off = float(np.abs(found - expected).max() / np.abs(expected).max())
    if not off < SAME:
        raise SystemExit(f"{what}: numbers differ by {off:.1e}; not timed.")
    return off


@contextmanager
def fresh_cache() -> Iterator[dict[str, str]]:
    """An environment whose cache of machine code is empty."""
    with tempfile.TemporaryDirectory(prefix="phalanx-bench-") as folder:
        yield os.environ | {"PHALANX_CACHE_DIR": folder}


def in_a_process(program: str) -> list[float]:
    """Numbers that a program prints, run in a new process with an empty cache."""
    with fresh_cache() as environment:
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise PhalanxError(done.stderr.strip().splitlines()[-1])
    return [float(x) for x in done.stdout.split()]


def cold(run: Run) -> Measurements:
    """First calls and memory."""
    found = Measurements()
    for bodies, limit in COLD.items():
        try:
            run.say(f"first call of {bodies} bodies")
            program = _FIRST_CALL.format(bodies=bodies)
            rounds = [in_a_process(program) for _ in range(1 if run.quick else 3)]
            imported, built, called = min(rounds, key=lambda x: x[1] + x[2])
            value = built + called
            detail = (
                f"machine {built:.2f} s, compile and run {called:.2f} s, after {imported:.2f} s of "
                "imports"
            )
        except PhalanxError as error:
            value, detail = float("inf"), f"it failed: {str(error)[:120]} …"
        found.outcomes.append(
            Outcome(FIRST, f"{bodies} bodies", limit, value, False, detail=detail)
        )
    for bodies in (20_000, 100_000):
        run.say(f"memory of {bodies} bodies")
        try:
            (added,) = in_a_process(_MEMORY.format(bodies=bodies))
            value, detail = added / bodies / 1e3, f"{added / 1e6:.0f} MB at the peak"
        except PhalanxError as error:
            value, detail = float("inf"), f"it failed: {str(error)[:120]} …"
        found.outcomes.append(
            Outcome(
                "memory a body, machine and first forward dynamics [kB]",
                f"{bodies} bodies",
                MEMORY,
                value,
                False,
                detail=detail,
            )
        )
    return found


@dataclass(frozen=True)
class Aba:
    """Pinocchio's forward dynamics on a chain as long as it can hold."""

    bodies: int
    call: Callable[[], object]
    states: ChainStates


def pinocchio_chain(bodies: int | None = None) -> Aba:
    """The chain in Pinocchio, compared with ours."""
    if bodies is None:
        free = int(re.search(r"MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text())[1]) / 1e6
        bodies = min(ABA_BODIES, int(ABA_BODIES * (free / 10) ** 0.5) // 50 * 50)
    machine = hinges(bodies)
    model = pinocchio_model(machine)
    data = model.createData()
    states = draw(machine, "random")
    q, v, tau = (x[0] for x in states.arguments[:3])
    serial = METHODS["serial"].solver(bodies_of(machine), 1)
    theirs = pinocchio.aba(model, data, q, v, tau)
    agree(f"Pinocchio, {bodies} bodies", serial.accelerations(*states.arguments)[0], theirs)
    return Aba(bodies, lambda: pinocchio.aba(model, data, q, v, tau), states)


def one(run: Run) -> Measurements:
    """One state by the serial sweep."""
    found = Measurements()
    run.say("Pinocchio's data")
    aba = pinocchio_chain()
    calls: dict[str, Callable[[], object]] = {"aba": aba.call}
    sizes = (aba.bodies, 1000, 10_000, 100_000)
    for bodies in sizes:
        states = draw(hinges(bodies), "random")
        calls[str(bodies)] = call_of(solve("serial", bodies, states, 1), states)
    run.say("one state, in turns")
    timings = take_turns(calls, run.effort)
    theirs = timings["aba"].per(aba.bodies).best
    ours = {bodies: timings[str(bodies)].per(bodies).best for bodies in sizes}
    each = ", ".join(f"{time:.0f} ns at {bodies}" for bodies, time in ours.items())
    found.outcomes.append(
        Outcome(
            f"one state, serial sweep, a body, vs aba at {aba.bodies}",
            f"{aba.bodies} bodies",
            4.0,
            theirs / ours[aba.bodies],
            detail=f"{each}; aba {theirs:.0f} ns; {noise(timings)}",
        )
    )
    found.outcomes.append(
        Outcome(
            "one state, serial sweep, exponent of growth",
            "1000 to 100000",
            1.15,
            1 + float(np.log(ours[100_000] / ours[1000]) / np.log(100)),
            False,
            detail="1 is linear; what is more are caches that long arrays do not fit into",
        )
    )
    return found


def parallel(run: Run) -> Measurements:
    """One state on two threads."""
    found = Measurements()
    names = [
        name for name in ("automatic", "segments", "scan", "cyclic-reduction") if name in METHODS
    ]
    for bodies, least in PARALLEL.items():
        states = draw(hinges(bodies), "random")
        run.say(f"one state of {bodies}, two threads")
        calls = {"serial": call_of(solve("serial", bodies, states, 1), states)}
        for name in names:
            try:
                calls[name] = call_of(solve(name, bodies, states, 2), states)
            except SystemExit as reason:
                found.remarks.append(str(reason))
        # samples on two threads need no skill: they show whether two processors were there
        probe = draw(hinges(1000), "random", 64)
        calls["probe"] = call_of(solve("serial", 1000, probe, 2), probe)
        timings = take_turns(calls, run.effort)
        free = timings.pop("probe").processors
        speedups = {n: timings["serial"].best / t.best for n, t in timings.items() if n != "serial"}
        if not speedups:
            found.remarks.append(f"{bodies} bodies: there is no parallel method.")
            continue
        best = max(speedups, key=lambda name: speedups[name])
        had = timings[best].processors
        each = ", ".join(f"{name} {t.best / 1e6:.3g} ms" for name, t in timings.items())
        found.outcomes.append(
            Outcome(
                f"one state, {best} on 2 threads, vs serial sweep",
                f"{bodies} bodies",
                least,
                speedups[best],
                detail=f"{each}; {best} used {had:.1f} processors where 64 states on two threads "
                f"used {free:.1f}; {noise(timings)}",
                fair=free > 1.7,
            )
        )
    return found


def batch(run: Run) -> Measurements:
    """Many states of a chain at once."""
    found = Measurements()
    samples, bodies = 64, 1000
    run.say("64 states of 1000 bodies")
    aba = pinocchio_chain()
    states = draw(hinges(bodies), "random", samples)
    calls = {"aba": aba.call}
    for threads in (1, 2):
        calls[f"{threads}"] = call_of(solve("serial", bodies, states, threads), states)
    timings = take_turns(calls, run.effort)
    theirs = timings["aba"].per(aba.bodies).best
    ours = {threads: timings[f"{threads}"].per(samples * bodies) for threads in (1, 2)}
    found.outcomes.append(
        Outcome(
            f"{samples} states at once, a body, vs aba at {aba.bodies}, 1 thread",
            f"{bodies} bodies",
            10.0,
            theirs / ours[1].best,
            detail=f"{ours[1].best:.1f} ns a body, on two threads {ours[2].best:.1f} (they had "
            f"{ours[2].processors:.1f} processors); aba {theirs:.0f} ns; {noise(timings)}",
        )
    )
    return found


def steps(run: Run) -> Measurements:
    """Runge-Kutta steps beside MuJoCo and Exudyn."""
    found = Measurements()
    for bodies, least in MUJOCO.items():
        run.say(f"steps of {bodies} bodies")
        machine = hinges(bodies)
        q = 0.1 * np.random.default_rng(0).standard_normal(machine.nv)
        v = np.zeros(machine.nv)
        few = max(2, 1000 // bodies)  # MuJoCo needs most of a second a step at 1000 bodies
        ours = px.CompiledRollout(px.Setup(machine, forces=()), step=STEP, record=("q",), threads=1)
        model = mujoco_model(machine)
        model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
        data = mujoco.MjData(model)

        def theirs(few: int = few, model: Any = model, data: Any = data, q: Any = q) -> None:
            mujoco.mj_resetData(model, data)
            data.qpos = q
            mujoco.mj_step(model, data, nstep=few)

        theirs()
        short = ours(q[None], v[None], steps=few, every=few)
        moved = np.abs(short.final_q[0] - q).max()
        off = float(np.abs(short.final_q[0] - data.qpos).max() / moved)
        exudyn = build_run(machine, q, "bodies")
        place = exudyn(STEPS, STEP)
        end = tip(machine, ours(q[None], v[None], steps=STEPS, every=STEPS).final_q[0])
        apart = float(np.abs(end - place).max() / np.abs(end - tip(machine, q)).max())
        if not (off < 1e-6 and apart < 0.05):
            raise SystemExit(f"{bodies} bodies: MuJoCo off by {off:.1e}, Exudyn by {apart:.1e}.")
        timings = take_turns(
            {
                "ours": lambda o=ours, q=q, v=v: o(q[None], v[None], steps=STEPS, every=STEPS),
                "MuJoCo": theirs,
                "Exudyn": lambda e=exudyn: e(STEPS, STEP),
            },
            TimingEffort(turn=1e-3, rounds=2 if run.quick else 4),
        )
        mine = timings["ours"].per(STEPS).best
        their, other = timings["MuJoCo"].per(few).best, timings["Exudyn"].per(STEPS).best
        found.outcomes.append(
            Outcome(
                "Runge-Kutta 4 step, 1 thread, vs MuJoCo's",
                f"{bodies} bodies",
                least,
                their / mine,
                detail=f"{mine / 1e6:.3g} ms a step, MuJoCo {their / 1e6:.3g} ms; Exudyn "
                f"{other / 1e6:.3g} ms (bodies with joints as constraints, sparse, implicit "
                f"trapezoidal steps: {other / mine:.0f} times ours); after {few} steps MuJoCo's "
                f"motion differs by {off:.0e} of the way, after {STEPS} Exudyn's tip by "
                f"{apart:.0e} of its; {noise(timings)}",
            )
        )
    return found


def switch(run: Run) -> Measurements:
    """Unrolled code and traversal where one takes over from the other."""
    found, bodies = Measurements(), EVALUATOR_SIZES["quantity"].traversed_from - 1
    taken = {}
    for name, solver in (("serial", "SerialSolver"), ("unrolled", "UnrolledSolver")):
        run.say(f"{bodies} bodies, {name}")
        rounds = [
            in_a_process(_UNROLLED_OR_NOT.format(bodies=bodies, solver=solver))
            for _ in range(1 if run.quick or name == "unrolled" else 3)
        ]
        taken[name] = tuple(min(numbers) for numbers in zip(*rounds, strict=True))
    for k, what in enumerate(("compile and 1000 calls", "512 states at once, a call")):
        traversed, straight = taken["serial"][k], taken["unrolled"][k]
        found.outcomes.append(
            Outcome(
                f"unrolled over traversed: {what}",
                f"{bodies} bodies",
                1.0,
                straight / traversed,
                detail=f"{1e3 * straight:.3g} ms against {1e3 * traversed:.3g} ms",
            )
        )
    return found


def digits(run: Run) -> Measurements:
    """Errors of all methods; what `Dynamics` takes stays within ten times the sweep's."""
    sizes = SIZES[::2] if run.quick else SIZES
    return Measurements(digits=list(accuracies(sizes, progress=run.say)))


def lengths(run: Run) -> Measurements:
    """Time of one evaluation against the number of bodies."""
    found = Measurements()
    sizes = (4, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
    most = {"unrolled": 30, "constraint-iteration": 100}
    times: dict[str, dict[int, float]] = {}
    for bodies in sizes:
        run.say(f"curves: {bodies} bodies")
        machine = hinges(bodies)
        nodes = bodies_of(machine)
        states = draw(machine, "random")
        many = draw(machine, "random", 64) if bodies <= 10_000 else None
        calls: dict[str, Callable[[], object]] = {}
        for name, method in METHODS.items():
            if bodies <= most.get(name, bodies):
                threads = 1 if name in ON_ONE_THREAD else 2
                calls[name] = call_of(method.solver(nodes, threads), states)
        if many is not None:
            calls["64 at once"] = call_of(METHODS["serial"].solver(nodes, 1), many)
        if bodies <= 300:
            calls["Pinocchio"] = pinocchio_chain(bodies).call
        if bodies <= 1000:
            calls["MuJoCo"] = mujoco_forward(machine, states)
        taken = take_turns(calls, TimingEffort(turn=1e-3, rounds=3 if run.quick else 6))
        for name, timing in taken.items():
            times.setdefault(name, {})[bodies] = (
                1e-9 * timing.per(64 if name == "64 at once" else 1).best
            )
        steps = max(20, 1000 // bodies)  # so that its preparations count little
        for way, share in (("tree", 4), ("bodies", 1)):
            if bodies <= {"tree": 100, "bodies": 3000}[way]:
                go = build_run(machine, np.full(machine.nv, 0.01), way)
                timing = take_turns(
                    {way: lambda go=go, n=steps: go(n, STEP)}, TimingEffort(turn=1e-3, rounds=2)
                )[way]
                times.setdefault(f"Exudyn {way}", {})[bodies] = (
                    1e-9 * timing.per(steps * share).best
                )
    looks = {
        "Pinocchio": ("Pinocchio, aba", {"color": "#4c6f94", "marker": "<", "linestyle": "--"}),
        "MuJoCo": ("MuJoCo, mj_forward", {"color": "#8aa9c4", "marker": ">", "linestyle": "--"}),
        "Exudyn tree": (
            "Exudyn, tree,\na fourth of an RK44 step",
            {"color": "#6b9080", "marker": "d", "linestyle": "--"},
        ),
        "Exudyn bodies": (
            "Exudyn, constraints,\none implicit step",
            {"color": "#a4c3b2", "marker": "d", "linestyle": "--"},
        ),
        "64 at once": (
            "Phalanx, serial, one of 64 states",
            {"color": "#d9731f", "marker": "o", "markerfacecolor": "white"},
        ),
    }
    for name, points in times.items():
        label, look = looks.get(
            name,
            (
                f"Phalanx, {name}, " + ("1 thread" if name in ON_ONE_THREAD else "2 threads"),
                LOOKS.get(name, {}),
            ),
        )
        found.curves.append(Curve(label, tuple(points), tuple(points.values()), look))
    return found


def mujoco_forward(machine: px.Mechanism, states: ChainStates) -> Callable[[], object]:
    """MuJoCo's forward dynamics of a state."""
    model = mujoco_model(machine)
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qfrc_applied = (x[0] for x in states.arguments[:3])
    mujoco.mj_forward(model, data)
    a = METHODS["serial"].solver(bodies_of(machine), 1).accelerations(*states.arguments)[0]
    off = relative_error(np.array(data.qacc), exact(a))
    if not off < 1e-6:  # its factorization of a dense M loses digits that sweeps keep
        raise SystemExit(f"MuJoCo, {machine.nv} bodies: numbers differ by {off:.1e}; not timed.")
    return lambda: mujoco.mj_forward(model, data)


def noise(timings: dict[str, EvaluationTime]) -> str:
    """How much other programs were in the way."""
    most = max(t.median / t.best for t in timings.values()) - 1
    return f"medians up to {100 * most:.0f} % above the best"


PARTS: dict[str, Callable[[Run], Measurements]] = {
    part.__name__: part for part in (cold, one, parallel, batch, steps, switch, digits, lengths)
}


def markdown(outcomes: Sequence[Outcome]) -> str:
    """The targets as a table."""
    lines = ["| what | chain | target | measured | |", "| --- | --- | --- | --- | --- |"]
    for outcome in outcomes:
        sign = "≥" if outcome.at_least else "≤"
        verdict = "met" if outcome.met else "missed" if outcome.fair else "machine busy"
        lines.append(
            f"| {outcome.what} | {outcome.robot} | {sign} {outcome.limit:g} | "
            f"{outcome.value:.3g} | {verdict} |"
        )
    lines += ["", *(f"- {o.robot}, {o.what}: {o.detail}." for o in outcomes if o.detail)]
    return "\n".join(lines)


def digits_table(found: Sequence[Accuracy]) -> str:
    """Errors as a table: methods over joints, the worst of both postures."""
    sizes = [size for size in (4, 16, 64, 256, 1024) if any(r.bodies == size for r in found)]
    lines = [
        f"| error | joint | {' | '.join(f'{size} bodies' for size in sizes)} |",
        f"| --- | --- | {' | '.join('---' for _ in sizes)} |",
    ]
    for method in dict.fromkeys(row.method for row in found):
        for joint in dict.fromkeys(row.joint for row in found):
            cells = []
            for size in sizes:
                here = [
                    row
                    for row in found
                    if (row.method, row.joint, row.bodies) == (method, joint, size)
                ]
                errors = [row.error for row in here if row.error is not None]
                refused = any(row.refused for row in here)
                cells.append("refused" if refused else f"{max(errors):.0e}" if errors else "")
            lines.append(f"| {method} | {joint} | {' | '.join(cells)} |")
    return "\n".join(lines)


def write_between(name: str, text: str) -> None:
    """Replace what stands between a pair of markers of the page."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}: written by benchmarks/chains.py -->", f"<!-- end of {name} -->"
    before, found, rest = page.partition(begin)
    if not found or end not in rest:
        raise SystemExit(f"{PAGE} has no markers {begin} … {end}.")
    after = rest.partition(end)[2]
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def machine_line() -> str:
    """What ran it."""
    m = host()
    return (
        f"{m['processor']}, {m['processors']} processors, {m['vectors']}, load {m['load']}; "
        f"Pinocchio {pinocchio.__version__}, MuJoCo {mujoco.__version__}"
    )


def write(found: Measurements) -> None:
    """Tables and figures of the page, as far as they were measured."""
    if found.outcomes:
        text = markdown(found.outcomes) + f"\n\n{machine_line()}."
        write_between("targets", text)
    if found.digits:
        write_between("digits", digits_table(found.digits))
        plot_accuracy(found.digits).savefig(IMAGES / "chain_accuracy.png", dpi=110)
    if found.curves:
        plot_lengths(found.curves, machine_line()).savefig(IMAGES / "chain_length.png", dpi=110)


def main() -> int:
    """Measure, print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--write", action="store_true", help="write docs/chains.md and its figures")
    parser.add_argument("--json", type=Path, help="write all numbers to a file")
    options = parser.parse_args()
    console = Console()

    found = Measurements()
    with console.status("chains …") as status, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        effort = TimingEffort(turn=2e-3, rounds=4 if options.quick else 12)
        run = Run(options.quick, effort, lambda what: status.update(f"{what} …"))
        for name in options.only:
            part = PARTS[name](run)
            found.outcomes += part.outcomes
            found.digits += part.digits
            found.curves += part.curves
            found.remarks += part.remarks
    for remark in found.remarks:
        console.print(remark, style="yellow")
    if found.digits:
        console.print(digits_table(found.digits), highlight=False)
    for curve in found.curves:
        points = zip(curve.bodies, curve.seconds, strict=True)
        console.print(
            f"{' '.join(curve.label.split())}: "
            + ", ".join(f"{n} {1e6 * t:.3g}" for n, t in points),
            "µs",
            highlight=False,
        )
    if options.write:
        write(found)
    if options.json:
        data = {
            "digits": [asdict(row) for row in found.digits],
            "curves": [asdict(curve) | {"look": dict(curve.look)} for curve in found.curves],
            "outcomes": [asdict(outcome) for outcome in found.outcomes],
        }
        options.json.write_text(json.dumps(data, indent=2))
    return report(console, found.outcomes, "long chains", "chain", None)


if __name__ == "__main__":
    sys.exit(main())

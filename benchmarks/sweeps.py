"""What sweeps promise, measured on this machine: a table with pass or miss.

    python benchmarks/sweeps.py [--quick] [--only NAME ...] [--json out.json]

- ``overhead``: one worker process with a store against the same rollouts in a plain loop, chunks of
  half a second, once both run; two worker processes over one.
- ``million``: a million cases of a UR5's rollout of 200 steps on a scheduler and workers of Dask in
  processes of their own; most memory of each, and the rate over the bare kernel's.
- ``kills``: workers, clients and schedulers are killed at random moments; bytes of the store
  against those of an undisturbed run.
- ``simulated``: hundreds of workers as threads that sleep, chunks as long as the model says.
- ``model``: the time that the model of ``scale.py`` foretells against that of sweeps with chunks of
  several lengths on one and two workers of Dask that are there.
- ``second``: a second sweep of the same machine on a new worker: what is compiled, and how long
  the worker takes from its start to its first chunk.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import phalanx as px
from phalanx.cli.models import find_model
from phalanx.distribute.sweeps.scale import BUSY, Costs, Scale
from phalanx.kernel.llvm import portable_code as parcel
from simulation import Outcome, report

STEPS = 200


def effort(q: Any, v: Any, tau: Any) -> Any:
    """An objective: how fast the joints are."""
    return sum(v[k] * v[k] for k in range(v.shape[0]))


def ur5_run(threads: int | None = None) -> Any:
    """A rollout of a UR5 that falls."""
    arm = find_model("robot:ur5_robot")
    return px.sweeps.Rollout(arm, STEPS, objective=effort, threads=threads)


def ur5_cases(count: int) -> Any:
    """Arms that begin anywhere, with a forearm of any mass."""
    joints = [joint.name for joint in find_model("robot:ur5_robot").moving_joints]
    return px.sweeps.Random(
        {f"q0.{name}": px.sweeps.Uniform(-1.0, 1.0) for name in joints}, cases=count
    )


KEEP = ("q_end", "v_end", "cost")


class Clock:
    """A progress callback that knows when chunks came."""

    def __init__(self) -> None:
        """Begin."""
        self.times: list[float] = []
        self.done: list[int] = []

    def __call__(self, progress: Any) -> None:
        """Remember."""
        self.times.append(time.perf_counter())
        self.done.append(progress.done)

    def rate(self, skip: int) -> float:
        """Cases a second, without the first few chunks, which wait for workers to start."""
        return (self.done[-1] - self.done[skip]) / (self.times[-1] - self.times[skip])


def bare_rate(chunk: int, chunks: int, threads: int) -> float:
    """Cases a second of the compiled loop in a plain Python loop."""
    arm = find_model("robot:ur5_robot")
    loop = px.CompiledRollout(arm, step=1e-3, objective=effort, record=(), threads=threads)
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (chunk, arm.nq))
    loop(q, np.zeros(arm.nv), steps=STEPS)
    begin = time.perf_counter()
    for _ in range(chunks):
        loop(rng.uniform(-1, 1, (chunk, arm.nq)), np.zeros(arm.nv), steps=STEPS)
    return chunk * chunks / (time.perf_counter() - begin)


def half_second_chunk() -> int:
    """Cases that take half a second on one thread."""
    return max(64, int(0.5 * bare_rate(2048, 2, 1)) // 64 * 64)


def overhead(quick: bool) -> list[Outcome]:
    """One worker over a plain loop, two over one; in turns, medians."""
    chunk, chunks, rounds = half_second_chunk(), 6 if quick else 14, 2 if quick else 5
    ratios, speedups = [], []
    for _ in range(rounds):
        plain = bare_rate(chunk, chunks, 1)
        rates = {}
        for workers in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                clock = Clock()
                px.sweep(
                    ur5_run(),
                    ur5_cases(chunk * chunks * workers),
                    keep=KEEP,
                    to=Path(folder) / "out.zarr",
                    engine=px.sweeps.Processes(workers),
                    chunk=chunk,
                    progress=clock,
                )
                # the last chunks of several workers come one by one, with others idle
                rates[workers] = clock.rate(skip=2 * workers - 1)
        ratios.append(plain / rates[1] - 1)
        speedups.append(rates[2] / rates[1])
    words = f"{chunk} cases a chunk, {chunks} chunks, {rounds} rounds"
    return [
        Outcome(
            "one worker process over a plain loop, slower by",
            "UR5",
            0.05,
            float(np.median(ratios)),
            False,
            f"{words}; {', '.join(f'{r:+.3f}' for r in ratios)}",
        ),
        Outcome(
            "two worker processes over one",
            "UR5",
            1.85,
            float(np.median(speedups)),
            True,
            ", ".join(f"{s:.2f}" for s in speedups),
        ),
    ]


@dataclass
class Cluster:
    """A scheduler and workers of Dask, each a process."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    port: int
    workers: list[subprocess.Popen[bytes]]

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        """Start it at the same address again."""
        self.scheduler = _dask(self.folder, "scheduler", "--host", self.address, "--no-show")

    def start_worker(self, cache: str | None = None) -> subprocess.Popen[bytes]:
        """Start one more."""
        own = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60")
        place = ("--local-directory", str(self.folder))
        worker = _dask(self.folder, "worker", self.address, *own, *place, cache=cache)
        self.workers.append(worker)
        return worker


def _dask(folder: Path, *words: str, cache: str | None = None) -> subprocess.Popen[bytes]:
    more = {"PHALANX_CACHE_DIR": cache} if cache else {}
    if words[0] == "scheduler":
        words = (*words, "--dashboard-address", ":0")
    log = open(folder / f"{words[0]}.log", "ab")
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *(w for w in words if w != "--no-show")],
        stdout=log,
        stderr=log,
        env=os.environ | more,
    )


@contextlib.contextmanager
def cluster(workers: int, cache: str | None = None) -> Iterator[Cluster]:
    """A cluster of processes, ended at the end."""
    import socket

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        made = Cluster(Path(place), None, port, [])  # type: ignore[arg-type]
        made.start_scheduler()
        for _ in range(workers):
            made.start_worker(cache)
        try:
            wait_until(lambda: _answers(port), 30.0)
            yield made
        finally:
            for process in (*made.workers, made.scheduler):
                process.kill()
            for process in (*made.workers, made.scheduler):
                process.wait()


def _answers(port: int) -> bool:
    import socket

    try:
        socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    return True


def wait_until(true: Callable[[], bool], seconds: float) -> None:
    """Look again and again."""
    end = time.perf_counter() + seconds
    while not true():
        if time.perf_counter() > end:
            raise SystemExit(f"waited {seconds} s in vain")
        time.sleep(0.02)


def memory(process: int | str) -> float:
    """Most memory that a process had at any time [MB]."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return float("nan")


def million(quick: bool) -> list[Outcome]:
    """Memory and rate of a long sweep, in a client process of its own."""
    cases = 100_000 if quick else 1_000_000
    chunk = half_second_chunk()
    bare = bare_rate(2 * chunk, 6, 2)
    with cluster(2) as made, tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.zarr"
        told = _client(made, out, cases, chunk)
        most = {
            "client": json.loads(told)["memory"],
            "scheduler": memory(made.scheduler.pid),
            "worker": max(memory(worker.pid) for worker in made.workers),
        }
        rate = json.loads(told)["rate"]
    words = f"{cases:,} cases, {rate:,.0f} a second; bare kernel {bare:,.0f} on two threads"
    found = [
        Outcome(f"most memory of a {who} [MB]", "UR5", 600, value, False)
        for who, value in most.items()
    ]
    return [
        *found,
        Outcome("rate over the bare kernel's", "UR5", 0.9, rate / bare, detail=words),
    ]


def _client(made: Cluster, out: Path, cases: int, chunk: int) -> str:
    return subprocess.run(
        client_command(made, out, cases, chunk), check=True, capture_output=True, text=True
    ).stdout


def client_command(made: Cluster, out: Path, cases: int, chunk: int) -> list[str]:
    """How a sweep is run by a process of its own."""
    what = ("--client", str(out), str(cases), str(chunk), made.address)
    return [sys.executable, __file__, *what]


def run_client(out: str, cases: str, chunk: str, address: str) -> int:
    """A sweep in this process; say how fast it was."""
    clock = Clock()
    px.sweep(
        ur5_run(),
        ur5_cases(int(cases)),
        keep=KEEP,
        to=out,
        engine=f"dask:{address}",
        chunk=int(chunk),
        resume=True,
        progress=clock,
    )
    rate = clock.rate(skip=3) if len(clock.times) > 4 else float("nan")
    print(json.dumps({"memory": memory("self"), "rate": rate}))
    return 0


def contents(folder: Path) -> dict[str, str]:
    """Every file of a store, and a hash of it."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def kills(quick: bool) -> list[Outcome]:
    """Kill, go on, compare with what an undisturbed run leaves."""
    count = 6 if quick else 20
    chunk = half_second_chunk() // 2
    cases = chunk * 5 * count
    random.seed(3)
    done: dict[str, int] = {"worker": 0, "client": 0, "scheduler": 0}
    with tempfile.TemporaryDirectory() as folder, cluster(2) as made:
        disturbed, calm = Path(folder) / "disturbed.zarr", Path(folder) / "calm.zarr"
        command = client_command(made, disturbed, cases, chunk)
        # a client whose scheduler is killed says so at length
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        client = subprocess.Popen(command, **quiet)
        for k in range(count):
            time.sleep(random.uniform(0.5, 2.5))
            whom = "worker" if k < count // 2 else random.choice(["client", "scheduler"])
            if client.poll() is not None and client.returncode == 0:
                break
            done[whom] += 1
            if whom == "worker":
                victim = random.choice(made.workers)
                made.workers.remove(victim)
                victim.kill()
                victim.wait()
                made.start_worker()
                continue
            if whom == "scheduler":
                made.scheduler.kill()
                made.scheduler.wait()
                for worker in made.workers:
                    worker.kill()
                    worker.wait()
                made.workers.clear()
                made.start_scheduler()
                made.start_worker()
                made.start_worker()
                wait_until(lambda: _answers(made.port), 30.0)
            client.kill()
            client.wait()
            client = subprocess.Popen(command, **quiet)
        if client.wait() != 0:
            raise SystemExit("the last client failed")
        px.sweep(ur5_run(), ur5_cases(cases), keep=KEEP, to=calm, chunk=chunk)
        here, there = contents(calm), contents(disturbed)
        different = {name for name in here | there if here.get(name) != there.get(name)}
        status = px.sweeps.Store.open(disturbed).array("status")
    return [
        Outcome(
            f"files that differ after {sum(done.values())} kills",
            "UR5",
            0,
            float(len(different)),
            False,
            f"{done}; {cases:,} cases, {len(here)} files; {sorted(different)[:5]}",
        ),
        Outcome("cases that are missing", "UR5", 0, float(np.count_nonzero(status == 0)), False),
    ]


@dataclass(frozen=True)
class Sleeping:
    """A study whose chunks sleep."""

    seconds: float

    def prepare(self) -> None:
        """Nothing to compile."""

    def work(self, number: int) -> int:
        """Sleep."""
        time.sleep(self.seconds)
        return number


def simulated(quick: bool) -> list[Outcome]:
    """How busy hundreds of workers are, and what a task costs."""
    from distributed import Client, LocalCluster

    threads = 10
    workers, waves = (100, 5) if quick else (500, 8)
    with (
        LocalCluster(
            n_workers=workers // threads,
            threads_per_worker=threads,
            processes=False,
            dashboard_address=":0",
            silence_logs=logging.ERROR,
        ) as made,
        Client(made) as client,
    ):
        engine = px.sweeps.Dask(client)

        def took(seconds: float, chunks: int) -> float:
            begin = time.perf_counter()
            assert sum(1 for _ in engine.each(Sleeping(seconds), range(chunks))) == chunks
            return time.perf_counter() - begin

        took(0.0, workers)
        task = took(0.0, 4 * workers) / (4 * workers)
        scale = Scale(10**9, seconds=1e-3, costs=Costs(task=task, write=1e-9))
        seconds = scale.chunk(workers) * scale.seconds
        busy = waves * seconds / took(seconds, waves * workers)
    thousand = Scale(10**9, seconds=1e-3, bytes=104.0)
    return [
        Outcome(
            f"{workers} simulated workers, busy",
            "sleep",
            BUSY,
            busy,
            True,
            f"{1e3 * task:.2f} ms a task; chunks of {seconds:.2f} s, {waves} a worker; a thousand "
            f"workers need {thousand.shortest_chunk(1000):.1f} s with the default costs",
        )
    ]


def model(quick: bool) -> list[Outcome]:
    """What the model foretells, and what it takes."""
    outcomes = []
    for workers in (1, 2):
        with cluster(workers) as made, tempfile.TemporaryDirectory() as folder:
            names = iter(range(100))

            def took(
                cases: int,
                chunk: int,
                made: Cluster = made,
                folder: str = folder,
                names: Iterator[int] = names,
            ) -> float:
                to, begin = Path(folder) / str(next(names)), time.perf_counter()
                engine = f"dask:{made.address}"
                px.sweep(ur5_run(), ur5_cases(cases), keep=KEEP, to=to, engine=engine, chunk=chunk)
                return time.perf_counter() - begin

            _wait_for_workers(made, workers)
            took(64 * 8 * workers, 64)  # workers have what they need
            size = px.sweeps.Study(ur5_run(), ur5_cases(64), KEEP).size().bytes_of_case
            for length in (0.05, 0.2, 0.8):
                start = min(took(64, 64) for _ in range(3))
                rate = bare_rate(4096 * workers, 8, workers) / workers
                chunk = max(64, int(length * rate) // 64 * 64)
                cases = chunk * int((1.6 if quick else 4.8) / length) * workers
                found = took(cases, chunk)
                rate = (rate + bare_rate(4096 * workers, 8, workers) / workers) / 2
                scale = Scale(cases, 1 / rate, size, Costs(start=start))
                foretold = scale.time(workers, chunk)
                words = f"{foretold:.2f} s foretold, {found:.2f} s taken; {cases:,} cases"
                what = f"workers: {workers}, chunks of {length:g} s: taken over foretold"
                outcomes.append(Outcome(what, "UR5", 1.25, found / foretold, False, words))
    return outcomes


def _wait_for_workers(made: Cluster, workers: int) -> None:
    from distributed import Client

    with Client(made.address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=60)


def second(quick: bool) -> list[Outcome]:
    """What a new worker compiles, and when it begins."""
    study = px.sweeps.Study(ur5_run(), ur5_cases(64 * 40), KEEP, chunk=64)
    times, compiled = [], 0
    for _ in range(2 if quick else 5):
        with tempfile.TemporaryDirectory() as cache, cluster(0) as made:
            begin = time.time()
            made.start_worker(cache)
            engine = px.sweeps.Dask(made.address)
            answers = dict(engine.each(Watched(study), range(4)))
            times.append(min(at for at, _ in answers.values()) - begin)
            compiled += max(built for _, built in answers.values())
    return [
        Outcome(
            "a new worker's first chunk after its start [s]",
            "UR5",
            2.0,
            float(np.median(times)),
            False,
            ", ".join(f"{t:.2f}" for t in times),
        ),
        Outcome("kernels that new workers compiled", "UR5", 0, float(compiled), False),
    ]


@dataclass(frozen=True)
class Watched:
    """A study whose chunks say when they began, and what their process has compiled."""

    study: Any

    def prepare(self) -> None:
        """Compile here."""
        self.study.prepare()

    def work(self, number: int) -> tuple[float, int]:
        """Work, and tell."""
        begin = time.time()
        self.study.work(number)
        return begin, len(parcel.names_built())


PARTS = {part.__name__: part for part in (overhead, million, kills, simulated, model, second)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table; 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer cases and rounds")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="some of the parts")
    parser.add_argument("--json", type=Path, help="write the outcomes")
    parser.add_argument("--client", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.client:
        return run_client(*options.client)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # clusters end with us
    console, outcomes = Console(), []
    for name in options.only or PARTS:
        with console.status(f"measuring {name} …"):
            found = PARTS[name](options.quick)
        for outcome in found:
            console.print(f"{outcome.what}: {outcome.value:.3g}; {outcome.detail}", highlight=False)
        outcomes += found
    return report(console, outcomes, "sweeps", "robot", options.json)


if __name__ == "__main__":
    sys.exit(main())

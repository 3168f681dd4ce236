"""Jobs on real MPI ranks that end as they should not: a rank is killed, stopped, or has no chance.

Every job has timeouts, and a test that waits for one has a limit of its own.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from distribute.mpi import mpiexec
from phalanx.distribute import (
    Feedback,
    ForwardDynamicsJob,
    InverseDynamicsJob,
    JobFailed,
    MotorMotion,
    Penalty,
    PlatformJob,
    Projection,
    Ranks,
    Recursive,
    launch,
    run,
    single_processor,
)
from phalanx.distribute.job_data import from_data, to_data
from waiting import eventually

pytestmark = pytest.mark.xdist_group("mpi")

# so many steps that no test waits for the end
ENDLESS = PlatformJob(
    "planar_3rrr", mode="stages", duration=5.0, motion=MotorMotion((0.2,) * 3, 5.0)
)
LIMIT = 60.0


class Strike:
    """Sends a signal to a rank once its run has been recorded for a while."""

    def __init__(self, folder: Path, rank: int, number: int) -> None:
        self.folder, self.rank, self.number = folder, rank, number
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            time.sleep(0.02)
            record = self.folder / "run.mcap"
            found = list(self.folder.glob(f"phalanx_job_*/rank_{self.rank}.pid"))
            if found and record.is_file() and record.stat().st_size > 4000:
                os.kill(int(found[0].read_text()), self.number)
                return


@pytest.fixture
def folder(tmp_path, monkeypatch):
    mpiexec()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("rank", "number", "says"),
    [
        # MPI may end others along with it, and then they are named as well
        (2, signal.SIGKILL, r"rank 2 was lost|ranks [^:]*\b2\b[^:]* were lost"),
        (1, signal.SIGSTOP, "rank.* 1 did not reply for 2 s"),
    ],
    ids=["killed", "stopped"],
)
def test_a_rank_that_is_lost_ends_the_run_and_keeps_the_recording(folder, rank, number, says):
    strike = Strike(folder, rank, number)
    path = folder / "run.mcap"
    with pytest.raises(JobFailed, match=says) as failure:
        launch(replace(ENDLESS, record=path), 4, timeout=2.0)
    strike.thread.join()
    kept = failure.value.recording
    assert kept is not None and 1 < len(kept) < 5_000
    assert f"is in {path}" in str(failure.value)
    np.testing.assert_array_equal(np.diff(np.round(kept.time / 1e-3)), 1.0)
    assert not _ranks_left(folder)
    # it was written while running: up to there it is the run of one processor
    alone, _ = single_processor(replace(ENDLESS, duration=0.02))
    np.testing.assert_allclose(kept["q"][:10], alone["q"][:10], rtol=0, atol=1e-12)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc")
def test_a_launcher_that_is_killed_takes_all_processes_along(folder):
    """SIGKILL cannot be caught: ranks, proxies and mpiexec notice by themselves."""
    path = folder / "run.mcap"
    code = (
        "import json, sys, tempfile\n"
        "from phalanx.distribute import launch\n"
        "from phalanx.distribute.job_data import from_data\n"
        "tempfile.tempdir = sys.argv[1]\n"
        "launch(from_data(json.loads(sys.argv[2])), 4, timeout=2.0)\n"
    )
    job = json.dumps(to_data(replace(ENDLESS, record=path)))
    launcher = subprocess.Popen([sys.executable, "-c", code, folder, job])
    eventually(lambda: path.is_file() and path.stat().st_size > 4000)
    started = _descendants(launcher.pid)
    assert len(started) == 6  # mpiexec, its proxy and four ranks
    launcher.kill()
    launcher.wait()
    eventually(lambda: not started & _parents().keys())
    assert len(px.Recording.read(path)) > 1


def test_a_rank_that_fails_says_why(folder):
    job = PlatformJob("planar_3rrr", Penalty(1e7), duration=2.0, step=1e-2)
    with pytest.raises(JobFailed, match=r"left finite numbers before t = .*The recording goes to"):
        launch(job, 4, timeout=20.0)
    assert not _ranks_left(folder)


def test_too_few_ranks_start_nothing(folder):
    path = folder / "run.mcap"
    with pytest.raises(px.InvalidInput, match=r"4 processes \(proximal_1, .* got 3. Start 4 ranks"):
        launch(replace(ENDLESS, record=path), 3)
    assert list(folder.iterdir()) == []


def test_without_mpi_the_extra_is_named(monkeypatch):
    launching = import_module("phalanx.distribute.processes.launch")
    monkeypatch.setattr(launching, "find_spec", lambda name: None)
    with pytest.raises(px.MissingExtra, match=r"\[mpi\]"):
        launch(ENDLESS, 4)


def test_a_timeout_is_a_positive_time():
    with pytest.raises(px.InvalidInput, match="timeout=0"):
        launch(ENDLESS, 4, timeout=0.0)
    pytest.importorskip("mpi4py")
    with pytest.raises(px.InvalidInput, match="timeout=-1"):
        Ranks(timeout=-1.0)


def test_a_job_is_plain_data():
    way = MotorMotion((0.1, 0.2), 0.4)
    job = PlatformJob("five_bar", Projection(3.0), "frozen", 0.5, 2e-3, way, Feedback(1.0, 2.0))
    data = json.loads(json.dumps(to_data(job)))
    assert to_data(from_data(data)) == data
    assert from_data(data).chosen_method == Projection(3.0)
    other = PlatformJob("planar_3rrr", Recursive(True), task="inverse", points=2, record=Path("x"))
    read = from_data(json.loads(json.dumps(to_data(other))))
    assert (read.task, read.method, read.points) == ("inverse", Recursive(True), 2)
    assert (read.record, read.chosen_mode) == ("x", "stages")


def test_ranks_find_a_machine_by_its_name_or_file(folder):
    with pytest.raises(px.InvalidInput, match="find its machine by a name or in a file"):
        launch(replace(ENDLESS, model=px.library.planar_3rrr()), 4)
    with pytest.raises(px.InvalidInput, match="is not plain data"):
        launch(replace(ENDLESS, motion=ENDLESS.followed))
    with pytest.raises(px.UnknownName, match="a job has no class 'Popen'"):
        from_data({"class": "Popen", "args": ["true"]})
    assert list(folder.iterdir()) == []


def test_dynamics_at_one_state_on_ranks(folder):
    """The same bits and messages as in one process, for arrays that went through the job file."""
    q, v, tau = np.random.default_rng(0).normal(size=(3, 6))
    platform = px.library.planar_3rrr().neutral(), [0.1, -0.2, 0.3], [1.0, 2.0, -3.0]
    for job, ranks, name in (
        (ForwardDynamicsJob("chain:6", q, v, tau), 2, "a"),
        (InverseDynamicsJob("planar_3rrr", *platform), 4, "torques"),
    ):
        here, there = run(job, ranks), launch(job, ranks, timeout=60.0)
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
        assert there.log == here.log and there.seconds > 0


def _ranks_left(folder):
    """Processes of jobs that were started in a folder, once those killed have had time to die."""
    end = time.monotonic() + 5.0
    while (left := _ranks_seen(folder)) and time.monotonic() < end:
        time.sleep(0.01)
    return left


def _ranks_seen(folder):
    left = []
    for process in _parents():
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            continue
        if b"phalanx.distribute.processes.rank" in words and str(folder).encode() in words:
            left.append(process)
    return left


def _descendants(process):
    """Children, their children, and so on."""
    parents, found = _parents(), {process}
    while new := {child for child, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {process}


def _parents():
    """All processes that are not dead, each with its parent."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    return parents

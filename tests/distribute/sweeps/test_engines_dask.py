"""Chunks on Dask: the same bits, nothing compiled twice, workers and schedulers that go."""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import phalanx as px
from distribute.sweeps.stand_ins import Deadly, Holding, Swings, Wrong
from phalanx.base.errors import InvalidInput, MissingExtra, UnknownName
from phalanx.distribute.sweeps.engines import Dask, EngineLost, InProcess, dask
from phalanx.mechanism.library import double_pendulum
from waiting import LONG, eventually

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.xdist_group("dask"),
    # of sockets that Dask closes when it is collected
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two worker processes that share a cache of their own, empty at first."""
    place = tmp_path_factory.mktemp("dask")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
        local_directory=str(place),
        env={"PHALANX_CACHE_DIR": str(place / "cache")},
    ) as cluster:
        yield cluster


def test_same_bits_and_workers_compile_nothing(cluster):
    here = dict(InProcess().each(Swings(), range(6)))
    there = dict(Dask(cluster).each(Swings(), range(6)))
    assert there.keys() == here.keys()
    for number, chunk in there.items():
        np.testing.assert_array_equal(chunk["q"], here[number]["q"])
        assert chunk["process"] != here[number]["process"]
        assert chunk["built"] == ()


def test_chunks_of_a_killed_worker_run_again(cluster, tmp_path):
    address = cluster.scheduler_address
    assert dict(Dask(address).each(Deadly(str(tmp_path)), range(4))) == {k: k for k in range(4)}
    assert len(list(tmp_path.iterdir())) == 1
    # the worker that took its place has what it needs, too
    for chunk in dict(Dask(address).each(Swings(), range(4))).values():
        assert chunk["built"] == ()


def swept(folder, engine, **options):
    """Bytes of all files of a store, by name."""
    m = double_pendulum()
    varied = {"q0.shoulder": px.sweeps.Uniform(-1, 1), "upper.mass": px.sweeps.Uniform(1, 2)}
    px.sweep(
        px.sweeps.Rollout(m, 20),
        px.sweeps.Random(varied, cases=40),
        to=folder,
        engine=engine,
        **({"chunk": 7} | options),
    )
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_store_has_the_same_bytes_whoever_worked(cluster, tmp_path):
    here = swept(tmp_path / "here", None)
    assert swept(tmp_path / "dask", cluster) == here
    with ThreadPoolExecutor(2) as pool:
        assert swept(tmp_path / "executor", pool) == here


def test_another_engine_goes_on_where_one_was_stopped(cluster, tmp_path):
    class Stop(Exception):
        pass

    def stop(progress):
        raise Stop

    with pytest.raises(Stop):
        swept(tmp_path / "out", cluster, progress=stop)
    assert len(px.sweeps.Store.open(tmp_path / "out").missing) == 5
    done = []
    resumed = swept(tmp_path / "out", None, resume=True, progress=lambda p: done.append(p.done))
    assert len(done) == 5
    assert resumed == swept(tmp_path / "undisturbed", None)


def test_errors_of_workers_arrive_as_what_they_were(cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        with pytest.raises(UnknownName, match="Did you mean 'shoulder'"):
            dict(Dask(client).each(Wrong("ours"), [0]))
        assert client.status == "running"


def test_a_scheduler_that_goes_is_said():
    with distributed.LocalCluster(
        n_workers=1,
        processes=False,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
        host="127.0.0.1",
        protocol="tcp",
    ) as own:
        work = Dask(own.scheduler_address).each(Swings(), range(50))
        next(work)
        own.close()
        with pytest.raises(EngineLost, match="resume=True"):
            for _ in work:
                pass


CLUSTER = """
import distributed, sys
if __name__ == "__main__":
    with distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=":0", host="127.0.0.1", protocol="tcp"
    ) as own:
        print(own.scheduler_address, flush=True)
        sys.stdin.read()
"""


def test_a_scheduler_that_is_stopped_is_not_waited_for_without_end(monkeypatch):
    """Stopped, it keeps its connections and says nothing."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", CLUSTER], text=True, env=environment, **pipes
    ) as other:
        try:
            address = other.stdout.readline().strip()
            monkeypatch.setattr(dask, "_SILENT", LONG)
            work = Dask(address).each(Swings(), range(500))
            next(work)
            os.kill(other.pid, signal.SIGSTOP)
            monkeypatch.setattr(dask, "_SILENT", 0.5)
            with pytest.raises(EngineLost, match=r"TimeoutError.*resume=True"):
                for _ in work:
                    pass
        finally:
            other.kill()


def test_a_worker_that_hears_nothing_is_not_waited_for_without_end(tmp_path, monkeypatch):
    """As on Ctrl-C: its case holds up all of its threads."""
    monkeypatch.setattr(dask, "_ANSWER_WITHIN", 0.5)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as own:
        with distributed.Client(own, set_as_default=False) as client:
            work = Dask(client).each(Holding(str(tmp_path)), range(2))
            assert next(work) == (0, 0)
            (tmp_path / "begin").touch()
            assert eventually((tmp_path / "holds").exists)
            closing = threading.Thread(target=work.close, daemon=True)
            closing.start()
            closing.join(LONG)
            assert not closing.is_alive()


def test_workers_that_are_all_gone_are_not_waited_for_without_end():
    with distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as own:
        work = Dask(own, patience=0.5).each(Swings(), range(50))
        next(work)
        own.scale(0)
        with pytest.raises(
            EngineLost, match=r"has no worker after 0\.5 s; start one .*resume=True"
        ):
            for _ in work:
                pass


def test_an_address_nobody_answers_at():
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(InvalidInput, match=f"no Dask scheduler answers at {address}"):
            Dask(address).check()
    with pytest.raises(InvalidInput, match="no place of a Dask scheduler"):
        Dask("nonsense://here:1").check()


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(dask, "find_spec", lambda name: None)
    for where in (None, "tcp://127.0.0.1:8786"):
        with pytest.raises(MissingExtra, match=r"\[cluster\]"):
            Dask(where).check()

"""The same chunks wherever they run, and what happens when workers do not."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from distribute.sweeps.stand_ins import (
    Attendance,
    Deadly,
    Homesick,
    Processors,
    Swings,
    Wrong,
)
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.distribute.sweeps.engines import (
    Dask,
    EngineLost,
    InProcess,
    OnExecutor,
    Processes,
    WorkFailed,
    engine_of,
    processes,
)
from phalanx.distribute.sweeps.engines import worker_payload as payload
from phalanx.kernel.call.threads import processors
from phalanx.kernel.llvm import cache
from waiting import LONG, eventually

ROOT = Path(__file__).parents[3]


def chunks(engine, study, numbers):
    return dict(engine.each(study, numbers))


@pytest.fixture(scope="module")
def swings():
    """A study, and its chunks in this process."""
    return Swings(), chunks(InProcess(), Swings(), range(6))


def test_processes_give_the_same_bits_and_compile_nothing(swings, tmp_path, monkeypatch):
    study, here = swings
    ready = payload.packed(study, 1)
    assert ready.kernels
    monkeypatch.setattr(processes, "packed", lambda *_: ready)
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "empty"))  # workers inherit it
    there = chunks(Processes(2), study, range(6))
    assert there.keys() == here.keys()
    for number, chunk in there.items():
        np.testing.assert_array_equal(chunk["q"], here[number]["q"])
        assert chunk["process"] != os.getpid()
        assert chunk["built"] == ()


def test_kernels_of_another_kind_are_compiled_and_told_once(swings, tmp_path, monkeypatch):
    """A worker with another processor compiles for itself, and others like it are spared that."""
    study, here = swings
    ready = payload.packed(study, 1)
    others = {name: ("another kind", *rest) for name, (_, *rest) in ready.kernels.entries.items()}
    assert payload.PortableCode(others).unpack(ready.key) == ()
    sent = replace(ready, kernels=payload.PortableCode(others))
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "empty"))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        stranger = pool.submit(payload.carry_out, ready.token, 0).result()
        assert stranger.needs_payload
        first = pool.submit(payload.carry_out, ready.token, 0, sent).result()
        second = pool.submit(payload.carry_out, ready.token, 1).result()
    np.testing.assert_array_equal(first.chunk["q"], here[0]["q"])
    assert set(first.chunk["built"]) == set(first.kernels.entries) != set()
    assert not second.kernels
    assert ready.kernels.entries.items() >= first.kernels.entries.items()  # the same bytes


def test_damaged_payload_is_refused(swings):
    ready = payload.packed(swings[0], 1)
    with pytest.raises(WorkFailed, match="damaged"):
        payload.receive(replace(ready, study=ready.study + b"."))


def test_altered_object_code_is_refused_and_compiled_anew(swings, tmp_path, monkeypatch, caplog):
    """An entry whose own hash is right, but which is not what left: other code under its name."""
    study, here = swings
    ready = payload.packed(study, 1)
    altered = {}
    for name, (kind, data, seal) in ready.kernels.entries.items():
        entry = cache.decode(name, data)
        code = bytearray(entry.code)
        code[len(code) // 2] ^= 1
        forged = cache.encode(name, cache.Entry(entry.facts, bytes(code)))
        assert cache.decode(name, forged) is not None  # by itself it looks whole
        altered[name] = kind, forged, seal
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "empty"))
    monkeypatch.setattr(cache, "_HELD", {})
    assert payload.PortableCode(altered).unpack(ready.key) == ()
    assert "altered" in caplog.text and not (tmp_path / "empty").exists()
    sent = replace(ready, kernels=payload.PortableCode(altered))
    monkeypatch.setattr(processes, "packed", lambda *_: sent)
    there = chunks(Processes(1), study, [0])
    np.testing.assert_array_equal(there[0]["q"], here[0]["q"])
    built = set(there[0]["built"])  # what the study needs, of all that this process has linked
    assert built and built <= set(altered)


def test_object_code_of_another_study_is_refused(swings):
    ready = payload.packed(swings[0], 1)
    other = payload.packed(replace(swings[0], cases=3), 1)
    assert ready.key != other.key
    assert ready.kernels.unpack(other.key) == ()


def test_any_executor_gives_the_same_bits(swings):
    study, here = swings
    with ThreadPoolExecutor(3) as pool:
        there = chunks(OnExecutor(pool), study, range(6))
    for number, chunk in there.items():
        np.testing.assert_array_equal(chunk["q"], here[number]["q"])


def test_a_chunk_uses_the_threads_of_its_engine():
    assert chunks(InProcess(), Processors(), [0]) == {0: processors()}
    assert chunks(InProcess(threads=1), Processors(), [0]) == {0: 1}
    with ThreadPoolExecutor(1) as pool:
        assert chunks(OnExecutor(pool), Processors(), [0]) == {0: 1}
    assert processors() == len(os.sched_getaffinity(0))


def test_few_chunks_are_on_their_way(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        finished = OnExecutor(pool).each(Attendance(str(tmp_path)), range(1000))
        next(finished)
        finished.close()
    assert len(list(tmp_path.iterdir())) <= 8


def test_errors_of_workers_arrive_as_what_they_were():
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(UnknownName, match="Did you mean 'shoulder'"):
            chunks(OnExecutor(pool), Wrong("ours"), [0])
        with pytest.raises(
            WorkFailed, match=r"(?s)chunk 0 .*ZeroDivisionError: nothing left.*line"
        ):
            chunks(OnExecutor(pool), Wrong("theirs"), [0])


def test_a_killed_process_costs_nothing(tmp_path):
    assert chunks(Processes(1), Deadly(str(tmp_path)), range(4)) == {k: k for k in range(4)}


def test_a_chunk_that_kills_every_process_ends_the_sweep(tmp_path):
    done = []
    with pytest.raises(EngineLost, match=r"the next ones are 2\. .*resume=True"):
        for number, _ in Processes(1).each(Deadly(str(tmp_path), times=99), range(3)):
            done.append(number)
    assert sorted(done) == [0, 1]


def test_workers_end_with_a_killed_parent(tmp_path):
    script = (
        "from phalanx.distribute.sweeps.engines import Processes\n"
        "from tests.distribute.sweeps.stand_ins import Telling\n"
        f"list(Processes(1).each(Telling({str(tmp_path)!r}), [0]))"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    (worker,) = eventually(lambda: list(tmp_path.iterdir()))
    parent.kill()
    parent.wait()
    assert eventually(lambda: not is_running(int(worker.name)))


@pytest.mark.parametrize(
    ("at_import", "size", "engine"),
    [
        ("pass", 10, "Processes(2)"),  # the sweep begins again in each worker
        ("sys.exit(3)", 200_000, "Processes(2)"),  # more than a pipe holds
        ("raise RuntimeError('not twice')", 10, "Dask()"),
    ],
)
def test_a_script_that_workers_cannot_import_ends_with_words(tmp_path, at_import, size, engine):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from phalanx.distribute.sweeps.engines import Dask, Processes\n"
        "from tests.distribute.sweeps.stand_ins import Heavy\n"
        f"if __name__ != '__main__':\n    {at_import}\n"
        f"list({engine}.each(Heavy(bytes({size})), range(4)))\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=LONG
    )
    assert done.returncode == 1
    assert "EngineLost: worker processes end as soon as they start" in done.stderr
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


def is_running(process):
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_a_study_that_cannot_travel_is_refused():
    class Local:
        def __reduce__(self):
            raise TypeError("cannot pickle this")

    with pytest.raises(InvalidInput, match=r"cannot be sent .*cannot pickle this.*InProcess"):
        chunks(Processes(1), Local(), [0])


def test_a_study_that_cannot_be_unpacked_is_said_with_its_reason():
    with pytest.raises(WorkFailed, match=r"chunk 0 .*RuntimeError: not at home"):
        chunks(Processes(1), Homesick(os.getpid()), [0])


def test_engines_by_word_and_by_value():
    assert engine_of(None) == engine_of("here") == InProcess()
    assert engine_of(3) == engine_of("processes:3") == Processes(3)
    assert engine_of("processes") == Processes()
    assert engine_of("dask:tcp://host:8786") == Dask("tcp://host:8786")
    assert engine_of("dask") == Dask()
    with ThreadPoolExecutor(1) as pool:
        assert engine_of(pool) == OnExecutor(pool)
    with pytest.raises(UnknownName, match="Did you mean 'dask'"):
        engine_of("dusk:tcp://host:1")
    for bad in ("processes:two", "processes:-1", True, 2.5, object(), 0):
        with pytest.raises(InvalidInput):
            engine_of(bad)

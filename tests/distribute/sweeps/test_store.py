"""Nothing is lost, nothing is twice, and nothing is mixed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray
import zarr

import phalanx as px
from distribute.sweeps import machines
from distribute.sweeps.machines import files_of, rollout, same, spread, squares
from phalanx import sweeps
from phalanx.distribute.sweeps.store import Store
from phalanx.distribute.sweeps.study import Study

KEEP = ["q_end", "cost", "q", "v.max"]


def test_xarray_opens_a_store_with_dimensions_coordinates_and_units(tmp_path: Path) -> None:
    over = spread()
    px.sweep(rollout(every=10), over, keep=KEEP, to=tmp_path / "out.zarr", chunk=8)
    data = xarray.open_zarr(tmp_path / "out.zarr")
    body = machines.ARM.bodies[-1].name
    assert dict(data.sizes) == {"case": 50, "joint": 2, "time": 4, "q0_entry": 2}
    assert data["q"].dims == ("case", "time", "joint") and data["q"].attrs["units"] == "rad"
    assert data[f"{body}.mass"].attrs["units"] == "kg" and f"{body}.mass" in data.coords
    assert data["joint"].values.tolist() == [j.name for j in machines.ARM.moving_joints]
    np.testing.assert_allclose(data["time"], [0.05, 0.1, 0.15, 0.2])
    assert (data["status"] == 1).all()


def test_a_store_holds_what_memory_would(tmp_path: Path) -> None:
    stored = px.sweep(rollout(), spread(), keep=KEEP, to=tmp_path / "out.zarr", chunk=8)
    kept = px.sweep(rollout(), spread(), keep=KEEP, chunk=50)
    for name in (*KEEP, *spread().names, "status"):
        assert same(stored[name], kept[name])
    assert stored.to_xarray().equals(kept.to_xarray())


def test_words_come_back_as_words(tmp_path: Path) -> None:
    run = rollout(laws={"a b": machines.LAW, "c": machines.LAW})
    over = sweeps.Table({"control": ["c", "a b", "c"]})
    found = px.sweep(run, over, to=tmp_path / "out.zarr", chunk=2)
    assert found.to_xarray()["control"].values.tolist() == ["c", "a b", "c"]


def test_failures_are_kept_with_their_reasons(tmp_path: Path) -> None:
    run, over = squares()
    px.sweep(run, over, to=tmp_path / "out.zarr", chunk=7)
    store = Store.open(tmp_path / "out.zarr")
    assert store.failures == px.sweep(run, over, chunk=60).failures
    status = store.array("status")
    assert set(np.flatnonzero(status == 2).tolist()) == set(store.failures) != set()


def test_a_limit_of_failures_ends_the_sweep_and_keeps_what_is_done(tmp_path: Path) -> None:
    run, over = squares()
    with pytest.raises(sweeps.TooManyFailures, match="most_failures=1"):
        px.sweep(run, over, to=tmp_path / "out.zarr", chunk=7, most_failures=1)
    store = Store.open(tmp_path / "out.zarr")
    assert store.done and store.missing
    px.sweep(run, over, to=tmp_path / "out.zarr", resume=True)
    px.sweep(run, over, to=tmp_path / "whole.zarr", chunk=7)
    assert files_of(tmp_path / "out.zarr") == files_of(tmp_path / "whole.zarr")


def test_kills_at_any_file_lose_nothing_and_nothing_is_twice(tmp_path: Path) -> None:
    """Each start is killed before another of the files of a chunk."""
    run, over = squares()
    px.sweep(run, over, to=tmp_path / "whole.zarr", chunk=7)
    path = tmp_path / "out.zarr"
    px.sweeps.Store.create(path, Study(run, over, chunk=7))
    tests = Path(machines.__file__).parents[2]
    paths = os.pathsep.join([str(Path(px.__file__).parents[1]), str(tests)])
    for survives in (0, 3, 6, 9):
        script = Path(__file__).with_name("killed.py")
        done = subprocess.run(
            [sys.executable, str(script), str(path), str(survives)],
            env=os.environ | {"PYTHONPATH": paths},
            check=False,
            capture_output=True,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    before = Store.open(path).done
    assert 0 < len(before) < Store.open(path).chunks
    seen = []
    px.sweep(run, over, to=path, resume=True, progress=lambda progress: seen.append(progress))
    assert len(seen) == Store.open(path).chunks - len(before)  # exactly what was missing
    assert files_of(path) == files_of(tmp_path / "whole.zarr")


def test_a_finished_sweep_is_not_run_again(tmp_path: Path) -> None:
    run, over = squares()
    px.sweep(run, over, to=tmp_path / "out.zarr", chunk=7)
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "out.zarr").rglob("*")}
    px.sweep(run, over, to=tmp_path / "out.zarr", resume=True)
    assert stamps == {p: p.stat().st_mtime_ns for p in (tmp_path / "out.zarr").rglob("*")}


def test_a_full_disk_is_said_and_what_is_done_stays(tmp_path: Path, disk) -> None:
    path, over = tmp_path / "out.zarr", spread()
    study = Study(rollout(), over, ["q"], chunk=25)
    store = Store.create(path, study)
    store.write(0, study.work(0), study)
    chunk = study.work(1)
    disk(2000)
    with pytest.raises(px.WriteError, match="resume=True"):
        store.write(1, chunk, study)
    disk()
    assert store.done == [0] and not list(path.rglob("*.writing"))
    px.sweep(study.run, over, keep=["q"], to=path, resume=True)
    assert same(store.array("q"), px.sweep(study.run, over, keep=["q"], chunk=50)["q"])


def test_a_damaged_chunk_is_not_read_as_numbers(tmp_path: Path) -> None:
    run, over = squares()
    found = px.sweep(run, over, to=tmp_path / "out.zarr", chunk=7)
    file = tmp_path / "out.zarr" / "y" / "c" / "3"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(bytes(content))
    with pytest.raises(px.ReadError, match="'y' is damaged"):
        found["y"]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    run, over = squares()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years")
    with pytest.raises(px.InvalidInput, match="nothing is written over"):
        px.sweep(run, over, to=tmp_path / "mine", chunk=7)
    with pytest.raises(px.ReadError, match="no sweep here"):
        px.sweep(run, over, to=tmp_path / "mine", chunk=7, resume=True)
    zarr.create_group(tmp_path / "other.zarr", zarr_format=3)
    with pytest.raises(px.ReadError, match="made by something else"):
        px.sweep(run, over, to=tmp_path / "other.zarr", chunk=7, resume=True)
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 3}, "seed: 0 there, 3 here"),
        ({"chunk": 8}, "chunk: 7 there, 8 here"),
        ({"keep": ["y"]}, "keep"),
        ({"over": squares(61)[1]}, "over"),
        (
            {
                "run": sweeps.Call(
                    lambda case: {"y": 0.0, "noise": [0, 0]}, {"y": (), "noise": (2,)}
                )
            },
            "run",
        ),
    ],
)
def test_two_studies_are_not_mixed(tmp_path: Path, changed, words: str) -> None:
    run, over = squares()
    given = {"run": run, "over": over, "chunk": 7}
    px.sweep(**given, to=tmp_path / "out.zarr")
    with pytest.raises(px.InvalidInput, match="another study") as caught:
        px.sweep(**(given | changed), to=tmp_path / "out.zarr", resume=True)
    assert words in str(caught.value)


def test_another_version_does_not_go_on(tmp_path: Path, monkeypatch) -> None:
    run, over = squares()
    px.sweep(run, over, to=tmp_path / "out.zarr", chunk=7)
    monkeypatch.setattr("phalanx.distribute.sweeps.study.__version__", "0.0.1")
    with pytest.raises(px.InvalidInput, match=r"0\.0\.1"):
        px.sweep(run, over, to=tmp_path / "out.zarr", chunk=7, resume=True)


HOLD = """
import fcntl, sys
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    run, over = squares()
    path = tmp_path / "out.zarr"
    Store.create(path, Study(run, over, chunk=7))
    command = [sys.executable, "-c", HOLD, str(path / "zarr.json")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(px.InvalidInput, match="being written by another process"):
            px.sweep(run, over, to=path, resume=True)
        assert not Store.open(path).done
        other.stdin.close()
    px.sweep(run, over, to=path, resume=True)
    assert not Store.open(path).missing


def test_what_has_no_room_is_refused_with_sizes(tmp_path: Path) -> None:
    over = sweeps.Random({"q0[0]": sweeps.Uniform(0, 1)}, cases=10**11)
    # 1 for the status and 8 for each of: what is varied, q (2), v (2) and the objective
    for to in (None, tmp_path / "out.zarr"):
        with pytest.raises(px.InvalidInput, match=r"cases of 49 bytes need 4\.9 TB"):
            px.sweep(rollout(), over, to=to, chunk=1000)
    assert not list(tmp_path.iterdir())


def test_a_study_knows_its_size() -> None:
    size = Study(rollout(every=10), spread(), ["q", "cost"], chunk=8).size()
    # status, mass and two positions, four moments of two positions, and the objective
    assert size.bytes_of_case == 1 + 8 + 16 + 64 + 8
    assert (size.cases, size.chunks, size.bytes) == (50, 7, 50 * 97)

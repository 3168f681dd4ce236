"""Files are data: nothing that one names is imported or run, of any format.

Each format gets a file that tries: it names a module that leaves a mark when it is imported, holds
a pickle that does, or text that would when it were evaluated. SECURITY.md has the same list.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import phalanx as px
from phalanx.base.table_file import read_table
from phalanx.cli import app
from phalanx.distribute.processes.job_file import JOB, JobFile
from phalanx.distribute.sweeps.seals import sealed
from phalanx.distribute.sweeps.store import Store
from phalanx.distribute.sweeps.study_files.noted import NOTE, study_of_store
from phalanx.distribute.sweeps.study_files.reader import read_study
from phalanx.kernel.llvm import cache
from phalanx.mechanism.read.guarded_yaml import parse_yaml
from phalanx.multiprocessor.plans.schedule_file import read_plan
from phalanx.planning.trajectory.path_file import read_path
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.scenario.reader import read_scenario

MODULE = "phalanx_strangers_module"
STUDY = f"""\
[run]
kind = "call"
function = "{MODULE}:run"
[run.gives]
y = "m"
[vary]
kind = "grid"
[vary.values]
x = [1.0, 2.0]
"""


class Trap:
    """What a pickle would call."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """A file that is there once the stranger's code has run; its module can be imported."""
    place = tmp_path / "modules"
    place.mkdir()
    mark = tmp_path / "mark"
    (place / f"{MODULE}.py").write_text(
        f"from pathlib import Path\nPath({str(mark)!r}).touch()\n"
        "def run(case):\n    return {'y': case['x'] ** 2}\n"
    )
    monkeypatch.syspath_prepend(place)
    yield mark
    sys.modules.pop(MODULE, None)


def evaluated(mark: Path) -> str:
    return f"__import__('pathlib').Path('{mark}').touch()"


# suffix, what is in the file, and who reads it
FORMATS = {
    "recording": (".mcap", lambda mark: pickle.dumps(Trap(mark)), Recording.read),
    "recording that begins well": (
        ".mcap",
        lambda mark: b"\x89MCAP0\r\n" + pickle.dumps(Trap(mark)),
        Recording.read,
    ),
    "plan": (".json", lambda mark: f'{{"format": "{evaluated(mark)}"}}'.encode(), read_plan),
    "plan as a pickle": (".json", lambda mark: pickle.dumps(Trap(mark)), read_plan),
    "scenario": (
        ".toml",
        lambda mark: f'model = "{MODULE}:run"\nduration = 1.0\n'.encode(),
        read_scenario,
    ),
    "scenario with a law": (
        ".toml",
        lambda mark: (
            f'model = "double_pendulum"\nduration = 1.0\n[control]\nkind = "{MODULE}:run"\n'
        ).encode(),
        read_scenario,
    ),
    "study": (".toml", lambda mark: STUDY.encode(), read_study),
    "table": (".csv", lambda mark: f"a,b\n1,{evaluated(mark)}\n".encode(), read_table),
    "trajectory": (
        ".csv",
        lambda mark: f"t,shoulder\n0,{evaluated(mark)}\n".encode(),
        lambda path: read_path(path, px.library.double_pendulum()),
    ),
    "closures": (
        ".yaml",
        lambda mark: f"!!python/object/apply:pathlib.Path.touch [{mark}]\n".encode(),
        parse_yaml,
    ),
    "model": (
        ".urdf",
        lambda mark: (
            f'<!DOCTYPE r [<!ENTITY e SYSTEM "file://{mark}">]><robot name="{evaluated(mark)}">'
            "&e;</robot>"
        ).encode(),
        px.load,
    ),
    "order for ranks": (
        ".json",
        lambda mark: json.dumps(
            {"program": f"{MODULE}.run", "arguments": {}, "timeout": 1.0}
        ).encode(),
        lambda path: _job_file(path),
    ),
}


def _job_file(path: Path) -> None:
    path.rename(path.with_name(JOB))
    JobFile.read(path.parent, "phalanx.distribute.programs.plans.job.program")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_is_data(kind, tmp_path, mark):
    suffix, content, read = FORMATS[kind]
    path = tmp_path / f"file{suffix}"
    path.write_bytes(content(mark))
    with pytest.raises(px.PhalanxError):
        read(path)
    assert not mark.exists() and MODULE not in sys.modules


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_arrays_in_files_hold_no_objects(suffix, tmp_path, mark):
    path = tmp_path / f"states{suffix}"
    trap = np.array([Trap(mark)], dtype=object)
    np.save(path, trap, allow_pickle=True) if suffix == ".npy" else np.savez(path, q=trap)
    words = ["evaluate", "double_pendulum", "mass_matrix", "--states", str(path)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and not mark.exists()


def test_a_kernel_in_the_cache_is_read_as_data(tmp_path, mark, monkeypatch):
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    name = "0" * 64
    file = tmp_path / "cache" / f"{name}.kernel"
    for content in (pickle.dumps(Trap(mark)), b"phalanx-kernel-1\n" + pickle.dumps(Trap(mark))):
        file.write_bytes(content)
        file.chmod(0o600)
        assert cache.load(name) is None
    file.write_bytes(cache.encode(name, cache.Entry({}, b"code")))
    file.chmod(0o666)  # whole, but anybody could have written it
    assert cache.load(name) is None
    assert not mark.exists()


@pytest.fixture
def stranger(tmp_path, mark):
    """A store whose noted study names the stranger's function; made without running it."""
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    file = read_study(study, trust=True)
    px.sweep(file.run, file.over, to=tmp_path / "out.zarr", chunk=1)
    note = {"study": str(study), "name": f"{MODULE}:run", "description": evaluated(mark)}
    (tmp_path / "out.zarr" / NOTE).write_bytes(sealed(note))
    sys.modules.pop(MODULE)
    mark.unlink()
    return tmp_path / "out.zarr"


def phalanx(*words: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output


def test_a_strangers_store_runs_nothing(stranger, mark, tmp_path):
    store = Store.open(stranger)
    store.to_xarray().load()
    assert store.failures == {} and store.damaged() == {}
    phalanx("sweep", "status", stranger)
    phalanx("sweep", "report", stranger, "--to", tmp_path / "report.html")
    said = phalanx("sweep", "replay", stranger, "--case", 1, "--numbers", code=2)
    assert f"'run' of module '{MODULE}'" in said and "--trust" in said and "--study" in said
    with pytest.raises(px.InvalidInput, match=MODULE):
        study_of_store(store)
    other = px.sweeps.Call(lambda case: {"y": 0.0}, {"y": ()})
    with pytest.raises(px.InvalidInput, match="another study"):
        px.sweep(other, px.sweeps.Grid({"x": [1.0, 2.0]}), to=stranger, resume=True)
    assert not mark.exists() and MODULE not in sys.modules


def test_texts_of_a_store_command_no_terminal(tmp_path):
    """Nor does one that no file can hold end the report."""

    def fail(case):
        raise ValueError("\x1b]0;title\x07 \x1b[31m <script> \ud800")

    px.sweep(
        px.sweeps.Call(fail, {"y": ()}), px.sweeps.Grid({"x": [1.0]}), to=tmp_path / "o", chunk=1
    )
    note = {"study": "\x1b[31mred", "name": "a \ud800", "description": "<script>\x1b[31m"}
    (tmp_path / "o" / NOTE).write_bytes(sealed(note))
    (seal,) = tmp_path.glob("o/status/seals/0.json")
    facts = json.loads(seal.read_bytes().splitlines()[0])
    seal.write_bytes(sealed(facts | {"failures": {"0": "\x1b[31m \ud800"}}))
    assert "\x1b" not in phalanx("sweep", "status", tmp_path / "o")
    phalanx("sweep", "report", tmp_path / "o", "--to", tmp_path / "report.html")
    assert "<script>" not in (tmp_path / "report.html").read_text()


def test_trust_runs_it_and_says_what(stranger, mark):
    said = phalanx("sweep", "replay", stranger, "--case", 1, "--numbers", "--trust")
    assert f"Warning: trusting {stranger}: this runs function 'run' of module '{MODULE}'" in said
    assert f"{MODULE}.py" in said and mark.exists()
    assert "bitwise equal" in said


def test_who_names_the_study_trusts_it(stranger, mark, tmp_path):
    words = ("--case", 1, "--numbers", "--study", tmp_path / "study.toml")
    assert "bitwise equal" in phalanx("sweep", "replay", stranger, *words)
    assert mark.exists()


def test_the_list_of_formats_is_the_one_that_is_told():
    text = Path(__file__).parents[1].joinpath("SECURITY.md").read_text()
    for words in (
        "recordings",
        "plans",
        "tables",
        "scenario",
        "study files",
        "stores of sweeps",
        "orders for ranks",
        "cache of machine code",
        "object code that travels",
        "model files",
    ):
        assert words in text, words

"""Files that commands write: those that are there stay unless --force is given."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from phalanx.cli.app import COMMANDS, whole
from phalanx.cli.groups import fields_of
from phalanx.cli.outputs import Writes

MODELS = {"mesh": "puma600", "cosimulate": "planar_3rrr"}
QUANTITY = {"evaluate": "bias", "export": "bias"}
READS = {
    ("evaluate", "states"),
    ("cosimulate", "torques"),
    ("trajectory", "path"),
    ("trajectory", "through"),
    ("identify", "data"),
    ("identify", "check"),
    ("systolic-solve", "system"),
    ("replay", "run"),
    ("diff", "a"),
    ("diff", "b"),
    *((name, "store") for name in ("sweep status", "sweep report", "sweep replay")),
}
# and how to say them
OWN_RULE = {
    ("sweep", "to"): "sweep puma-robustness",  # a store is resumed or thrown away
    ("excavator", "folder"): "excavator",  # every recording gets a new name
}
NUMBERS = ["1.5", "12", "1e-3"]


def annotations(command: str) -> dict[str, Any]:
    hints = get_type_hints(COMMANDS[command], include_extras=True)
    hints.pop("return", None)
    return {name: kind for key, hint in hints.items() for name, kind in fields_of(key, hint)}


def is_path(hint: Any) -> bool:
    """Whether a path is among the kinds that an option takes: Path | None, list[Path], …."""
    return hint is Path or any(is_path(part) for part in get_args(hint))


WRITING = [
    (command, name, part)
    for command in COMMANDS
    for name, hint in annotations(command).items()
    for part in get_args(hint)
    if isinstance(part, Writes)
]


def option(command: str, name: str) -> str:
    (found,) = [one for one in whole(COMMANDS[command]).params if one.name == name]
    return found.opts[0]


def words(command: str, name: str, path: Path) -> list[str]:
    """A command line that would write there, with arguments that are good."""
    taken = inspect.signature(COMMANDS[command]).parameters
    said = [command]
    if "model" in taken or "source" in taken:
        said.append(MODELS.get(command, "puma560"))
    if command in QUANTITY:
        said.append(QUANTITY[command])
    if "store" in taken:
        said.append("nowhere.zarr")
    if command == "sweep replay":
        said += ["--case", "0"]
    if command == "trajectory":
        said += ["--demo"]
    return [*said, option(command, name), str(path)]


def suffix(command: str, name: str, what: Writes) -> str:
    by_hand = {"to": ".c" if command == "export" else ".html", "gantt": ".svg"}
    if what.suffixes:
        return what.suffixes[0]
    return ".svg" if what.picture else by_hand.get(name, ".json")


def test_every_path_of_every_command_is_read_or_written():
    """Who adds an option for a file says which of the two, and so comes under the rule."""
    paths = {
        (command, name)
        for command in COMMANDS
        for name, hint in annotations(command).items()
        if is_path(hint) and name != "package_path"  # where meshes are looked for
    }
    written = {(command, name) for command, name, _ in WRITING}
    assert paths == written | READS | OWN_RULE.keys()
    assert len(written) >= 18


@pytest.mark.parametrize(("command", "name", "what"), WRITING)
def test_a_file_that_is_there_stays(run, monkeypatch, tmp_path, command, name, what):
    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("work was begun")

    for place in ("models", "cosimulate", "simulate", "replay"):
        monkeypatch.setattr(f"phalanx.cli.{place}.find_model", work)
    path = tmp_path / ("out" if what.inside else f"out{suffix(command, name, what)}")
    there = path / what.inside if what.inside else path
    there.parent.mkdir(exist_ok=True)
    there.write_text("precious")
    said = run(*words(command, name, path), code=2).stderr
    assert "--force overwrites it" in said and there.name in said.replace("\n", "")
    assert there.read_text() == "precious"


@pytest.mark.parametrize(("command", "name", "what"), WRITING)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_no_file(run, tmp_path, command, name, what, number):
    """It was meant for the option before or after."""
    before = set(tmp_path.iterdir())
    said = run(*words(command, name, Path(number)), code=2).stderr
    assert "a number stands where" in said or "its suffix must be" in said
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(("command", "name"), OWN_RULE)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_no_folder(run, tmp_path, command, name, number):
    words = [*OWN_RULE[command, name].split(), option(command, name), number]
    assert "a number stands where" in run(*words, code=2).stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("key", ["report", "record"])
def test_a_number_is_no_file_of_a_scenario(run, tmp_path, key):
    (tmp_path / "run.toml").write_text(f'model = "puma560"\nduration = 0.01\n{key} = "1.5"\n')
    said = run("simulate", "run.toml", code=2).stderr
    assert "a number stands where" in said or "its suffix must be" in said
    assert [path.name for path in tmp_path.iterdir()] == ["run.toml"]


@pytest.mark.parametrize(("command", "name", "what"), WRITING)
def test_every_command_that_writes_has_force(command, name, what):
    assert "--force" in [flag for one in whole(COMMANDS[command]).params for flag in one.opts]


@pytest.mark.parametrize(
    "line",
    [
        "info double_pendulum --picture {0}.svg",
        "evaluate double_pendulum bias --output {0}.csv",
        "export double_pendulum bias --to {0}.c",
        "rollout double_pendulum --runs 2 --steps 2 --output {0}.npz",
        "schedule double_pendulum --processors 1 --json {0}.json",
        "systolic-solve --size 2 --page {0}.svg",
        "trajectory double_pendulum --demo --save {0}.csv",
        "simulate double_pendulum --duration 0.01 --record {0}.mcap",
    ],
)
def test_force_overwrites(run, tmp_path, line):
    spoken = line.format("out").split()
    path = tmp_path / next(word for word in spoken if word.startswith("out."))
    path.write_text("old")
    run(*spoken, code=2)
    run(*spoken, "--force")
    assert path.read_bytes() != b"old"


def test_a_report_keeps_other_files_of_its_folder(run, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    words = ("simulate", "double_pendulum", "--duration", "0.01", "--report", "out")
    run(*words)
    assert "--force" in run(*words, code=2).stderr
    run(*words, "--force")
    assert (folder / "notes.txt").read_text() == "mine"
    assert "it is a file" in run(*words[:-1], "out/notes.txt", code=2).stderr


def test_files_that_a_scenario_names_are_kept_too(run, tmp_path):
    text = 'model = "double_pendulum"\nduration = 0.01\nrecord = "run.mcap"\n'
    (tmp_path / "run.toml").write_text(text)
    run("simulate", "run.toml")
    assert "run.mcap exists" in run("simulate", "run.toml", code=2).stderr
    run("simulate", "run.toml", "--force")

"""docs/architecture.md is true: folders, files, rows of sources, layers."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = {
    "L": "lathrop-1983",
    "D": "dhanaraj-1990",
    "W": "wong-1991",
    "S": "sharf-deleuterio-1993",
    "K": "khan-2002",
}


def page() -> str:
    return (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def picture() -> list[str]:
    (block,) = re.findall(r"```\n(mechanism/.*?)```", page(), re.S)
    return block.splitlines()


def drawn_folders() -> set[str]:
    folders, path = set(), []
    for line in picture():
        name = line.split("/")[0]
        depth = (len(name) - len(name.lstrip())) // 2
        path[depth:] = [name.strip()]
        folders.add("/".join(path))
    return folders


def test_every_folder_is_drawn_and_no_other():
    package = ROOT / "src" / "phalanx"
    there = {
        str(folder.relative_to(package))
        for folder in package.rglob("*")
        if folder.is_dir()
        and folder.name != "__pycache__"
        and any(f.is_file() and f.parent.name != "__pycache__" for f in folder.rglob("*"))
    }
    assert drawn_folders() == there


def test_every_row_of_a_source_has_a_folder():
    drawn: dict[str, list[int]] = {letter: [] for letter in SOURCES}
    for letter, first, last in re.findall(
        r"\b([LDWSK])(\d+)(?:-[LDWSK](\d+))?", "\n".join(picture())
    ):
        drawn[letter] += range(int(first), int(last or first) + 1)
    with (ROOT / "tests" / "papers" / "coverage.toml").open("rb") as file:
        rows = tomllib.load(file)
    for letter, source in SOURCES.items():
        assert sorted(drawn[letter]) == sorted(int(row[1:]) for row in rows[source]), source


def test_the_layers_are_those_of_the_contract():
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one["name"] == "data flows one way"]
    (drawn,) = re.findall(r"```\n(   cli .*?)```", page(), re.S)
    in_order = [name for layer in layers for name in re.findall(r"\w+", layer)]
    positions = [re.search(rf"\b{name}\b", drawn) for name in in_order]
    assert None not in positions, dict(zip(in_order, positions, strict=True))
    lines = [drawn[: found.start()].count("\n") for found in positions if found]
    assert lines == sorted(lines)


def test_every_file_that_the_page_names_exists():
    package = ROOT / "src" / "phalanx"
    named = re.findall(r"`([\w/.]+(?:\.pyi?|/))`", page())
    places = [path.relative_to(package).as_posix() for path in package.rglob("*.py*")]
    places += [
        f"{path.relative_to(package).as_posix()}/" for path in package.rglob("*") if path.is_dir()
    ]
    missing = [
        name
        for name in named
        if not any(f"/{place}".endswith(f"/{name.removeprefix('phalanx/')}") for place in places)
        and not (ROOT / name).exists()
    ]
    assert len(named) > 60
    assert missing == []

"""Command lines and files of pages and help: every command and option exists, files are read.

`test_readme.py` runs the tour of `docs/features.md`; here all others are parsed as the command line
would, down to their values, without running them: they name files of the reader's, open pages or
take minutes. So are the examples in the help of commands.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from inspect import cleandoc
from pathlib import Path

import pytest
import typer
import yaml

from phalanx.cli.app import COMMANDS, _with_its_second_word, whole
from phalanx.cli.help_pages import EXAMPLES

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(kind):
    """Blocks of a kind, with the page they are on."""
    pattern = rf"^```{kind}\n(.*?)^```"
    return [
        pytest.param(code, id=f"{page.stem}-{k}")
        for page in PAGES
        for k, code in enumerate(re.findall(pattern, page.read_text(), re.M | re.S))
    ]


EXAMPLES_OF_HELP = "\n".join(
    cleandoc(command.__doc__ or "").partition(EXAMPLES)[2].replace("\\\n", "")
    for command in COMMANDS.values()
)

LINES = sorted(
    {line.strip() for line in EXAMPLES_OF_HELP.splitlines() if line.startswith("    phalanx ")}
    | {
        line.split(" #")[0].strip()
        for kind in ("sh", "")
        for parameter in blocks(kind)
        for line in parameter.values[0].splitlines()
        if line.startswith("phalanx ")
    }
)


def test_there_are_lines():
    assert len(LINES) > 150


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_is_understood(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, *words = _with_its_second_word(shlex.split(line)[1:])
    if name in ("--help", "COMMAND") or name.startswith("--"):
        return
    assert name in COMMANDS, line
    try:
        whole(COMMANDS[name]).make_context(name, words)
    except typer.Exit as ended:  # --help
        assert ended.exit_code == 0


@pytest.mark.parametrize("text", blocks("toml"))
def test_toml_is_read(text):
    assert tomllib.loads(text)


@pytest.mark.parametrize("text", blocks("json"))
def test_json_is_read(text):
    assert json.loads(text)


@pytest.mark.parametrize("text", blocks("yaml"))
def test_yaml_is_read(text):
    assert yaml.safe_load(text)

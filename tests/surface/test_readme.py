"""Python blocks of the README and the docs run; every relative link leads somewhere."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import phalanx as px
from phalanx.cli import app, serving
from phalanx.simulation import extensions

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MJCF = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
<geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="cart"><link name="body"><inertial><mass>1</mass></inertial>
</link><joint name="slide" type="prismatic"><parent>world</parent><child>body</child>
<axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"""


def python_blocks(page):
    """The Python of a page: every block by itself, those of a tutorial one after the other."""
    found = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
    return ["\n".join(found)] if page.stem.startswith("tutorial_") else found


BLOCKS = [
    pytest.param(code, id=f"{page.stem}-{k}")
    for page in PAGES
    for k, code in enumerate(python_blocks(page))
]
COMMANDS = [
    line.split(" #")[0].strip()
    for code in re.findall(
        r"^```sh\n(.*?)^```", (ROOT / "docs" / "features.md").read_text(), re.M | re.S
    )
    for line in code.splitlines()
    if line.startswith("phalanx ") and "bench" not in line
]


def make_files_of_the_reader(code, folder):
    """Models that a block loads and does not make itself."""
    for name in re.findall(r'px\.load\("([\w]+\.(?:urdf|xml|sdf))"', code):
        path = folder / name
        if path.suffix == ".urdf":
            machine = px.library.double_pendulum()
            root = replace(machine.bodies[0], mass=1.0, inertia=np.eye(3))  # also when it floats
            px.export_urdf(replace(machine, bodies=(root, *machine.bodies[1:])), path)
        else:
            path.write_text(MJCF if path.suffix == ".xml" else SDF)
    for name in re.findall(r'package_paths=\["~/([\w/]+)"\]', code):
        (folder / name).mkdir(parents=True)


@pytest.mark.parametrize("code", BLOCKS)
def test_block(code, tmp_path, monkeypatch):
    make_files_of_the_reader(code, tmp_path)
    if '"~/' in code:
        monkeypatch.setenv("HOME", str(tmp_path))
    for peer in re.findall(r"^import (pinocchio|mujoco)\b", code, re.M):
        pytest.importorskip(peer)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(extensions, "_offered", list(extensions._offered))
    exec(compile(code, "block", "exec", dont_inherit=True), {"__name__": "block"})


class _Interrupted:
    """An event whose wait ends as a person ends it."""

    def wait(self):
        raise KeyboardInterrupt


def test_commands(tmp_path, monkeypatch):
    pytest.importorskip("viser")
    monkeypatch.chdir(tmp_path)
    # pages are served until Ctrl-C
    monkeypatch.setattr(serving, "threading", SimpleNamespace(Event=_Interrupted))
    assert {"view", "simulate", "replay"} <= {command.split()[1] for command in COMMANDS}
    for command in COMMANDS:  # in their order: one replays what another recorded
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert result.exit_code == 0, (command, result.output)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target

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

from . import stated_values

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MJCF = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/>
<geom type="capsule" size="0.1" fromto="0 0 0 1 0 0"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="cart"><link name="body"><inertial><mass>1</mass></inertial>
</link><joint name="slide" type="prismatic"><parent>world</parent><child>body</child>
<axis><xyz>1 0 0</xyz></axis></joint></model></sdf>"""


# comments with numbers that describe the code beside them, and no value that it computes
DESCRIPTIONS = {
    "a again, without a matrix of 6.7 GiB",  # that is never made
    "24 bits a word, computed in whole numbers",  # the argument "fixed:24" in words
    "parts from 0 to 1",  # what a callback is told
    "motors from rest to rest in 3 s",  # the argument 3.0 in words
    "of the first 1, 2, … in parallel",  # how many resistances
    "20 sets, one every 4 Flops",  # the argument 20 in words; the line before prints the 4
    "many: (..., 4, 4)",  # any batch
    "lift = 0.05 + 0.02 crank²",  # the arguments as an equation
    "of link 1; 4 more for each further",  # a law of links that the assertion beside it is about
    "3n, 4n - 1, n(n + 1)/2 + n",  # formulas of the asserted values
    "row 0 leaves, a new one enters",
    "port 0: any that is free",
    "a control loop of 1 kHz",
}


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
    assert not stated_values.run(code)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_stated_value_is_compared(page):
    loose = {text for code in python_blocks(page) for text in stated_values.unchecked(code)}
    assert loose <= DESCRIPTIONS


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("print(0.4234)  # 0.42, of which much is said", 0),
        ("print(0.4234)  # 0.43", 1),
        ("print((200, 6))  # (201, 6)", 1),
        ("print(False, 2.0)  # True 2", 1),
        ("print(3e-8)  # about 1e-7", 1),
        ("print(7e-8)  # about 1e-7", 0),
        ("print(-2e-9)  # below 1e-9", 1),
        ("print('a', 1, 2, 3)\n# 1 … 3", 0),
        ("print('a', 1, 2, 3)  # 1 3", 1),
        ("import numpy as np\na, b = np.ones((2, 3, 4))  # (3, 4) both", 0),
        ("import numpy as np\na, b = np.ones(4), np.ones(5)  # (5,)", 1),
        ("x = [1] * 5  # 4 rows", 1),
        ("for k in range(3):\n    print(k)  # 2", 0),
        ("if False:\n    print(1)  # 1", 1),
        ("x = 5\nx  # 6", 1),
        ("print(['a', 'b'])  # ['a', 'c']", 1),
        ("print('(q, out=None)')  # (q, v, out=None)", 1),
        ("x = ('a',)\nx  # ('a',)", 0),
    ],
)
def test_a_value_in_a_comment_is_compared(code, wrong):
    assert len(stated_values.run(code)) == wrong


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

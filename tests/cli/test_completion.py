"""Tab: what a shell is told, by the protocol that its script speaks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files

import pytest

from phalanx.base.robots import robot_files
from phalanx.cli import completion
from phalanx.cli.completion import WORDS, joined

LOADED = "print(*[m for m in ('casadi', 'llvmlite', 'numpy', 'scipy') if m in sys.modules])"


def asked(tmp_path, **environment: str) -> list[str]:
    """What ``phalanx`` says to a shell, a word a line, then what it loaded."""
    code = (
        "import atexit, sys\n"
        f"atexit.register(lambda: {LOADED})\n"
        "from phalanx.cli import app\n"
        "app(prog_name='phalanx')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | environment,
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[-1] == "", "a library was loaded"
    return lines[:-1]


def bash(tmp_path, *words: str) -> list[str]:
    return asked(
        tmp_path,
        _PHALANX_COMPLETE="complete_bash",
        COMP_WORDS="\n".join(["phalanx", *words]),
        COMP_CWORD=str(len(words)),
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ro", ["rollout"]),
        ("rollout puma560 --integ", ["--integrator"]),
        ("rollout puma560 --integrator ro", ["rosenbrock"]),
        ("rollout puma560 --dtype = float3", ["float32"]),
        ("simulate puma-", ["puma-pd"]),
        ("sweep puma-r", ["puma-robustness"]),
        ("evaluate puma560 forward-dynamics-", ["forward-dynamics-derivatives"]),
        ("info puma5", ["puma560", "puma560_arm", "puma560_listing"]),
        ("info stan", ["stanford", "stanford_listing", "stand.urdf"]),
        ("info ./sta", []),  # files are the shell's
        ("info par", []),
        ("info puma560 --forc", ["--force"]),
    ],
)
def test_bash(tmp_path, typed, offered):
    (tmp_path / "stand.urdf").touch()
    (tmp_path / "parts").mkdir()
    assert [word for word in bash(tmp_path, *typed.split()) if word] == offered


def test_robots_after_the_colon_at_which_bash_breaks_words(tmp_path):
    if "panda" not in robot_files():
        pytest.skip("needs example-robot-data")
    assert bash(tmp_path, "info", "robot", ":", "pand") == ["panda", "panda_collision"]


def test_zsh_and_fish(tmp_path):
    typed = {"_TYPER_COMPLETE_ARGS": "phalanx rollout puma560 --integrator r"}
    said = asked(tmp_path, _PHALANX_COMPLETE="complete_zsh", **typed)
    assert "".join(said) == '_arguments \'*: :(("rk4""rosenbrock"))\''
    fish = {"_PHALANX_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert asked(tmp_path, **fish, **typed) == ["rk4", "rosenbrock"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(tmp_path, shell):
    done = subprocess.run(
        [sys.executable, "-m", "phalanx", "--show-completion", shell],
        capture_output=True,
        text=True,
        env=os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )
    assert f"complete_{shell}" in done.stdout and "_PHALANX_COMPLETE" in done.stdout


def test_words_are_those_of_the_library():
    kept = json.loads((files("phalanx.cli") / WORDS).read_text())
    # in a process of its own: other tests add to the tables of this one
    ask = "from phalanx.cli.completion_words import written; print(written())"
    now = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert kept == json.loads(now.stdout), "run: python -m phalanx.cli.completion_words"
    assert kept == completion.words()


@pytest.mark.parametrize(
    ("words", "place", "whole"),
    [
        (["a", "b"], 1, (["a", "b"], 1)),
        (["a", "b", ":", "c", "d"], 3, (["a", "b:c", "d"], 1)),
        (["a", "b", ":"], 2, (["a", "b:"], 1)),
        (["a", "--b", "=", "c", ""], 4, (["a", "--b=c", ""], 2)),
    ],
)
def test_words_that_bash_breaks_are_joined(words, place, whole):
    assert joined(words, place) == whole

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from phalanx.cli import app
from waiting import LONG

Run = Callable[..., Result]

PENDULUM = """\
<robot name="pendulum">
  <link name="base"/>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/>
  </joint>
</robot>
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder; on failure its whole output is in the message."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def runner(*words: str, code: int = 0) -> Result:
        result = CliRunner().invoke(app, list(words))
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return runner


@pytest.fixture
def pendulum(tmp_path: Path) -> Path:
    path = tmp_path / "pendulum.urdf"
    path.write_text(PENDULUM)
    return path


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The installed command, in a process of its own."""

    def start(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from phalanx.cli import app; app()", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=LONG)

    return start


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Figures that are saved."""
    from matplotlib.figure import Figure

    figures: list[Any] = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda self, *a, **k: (figures.append(self), save(self, *a, **k))[1]
    )
    return figures

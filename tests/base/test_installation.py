"""The command that adds an extra fits how Phalanx was installed."""

from __future__ import annotations

import json
import sys
from importlib import metadata
from typing import Any

import pytest

import phalanx as px
from phalanx.base.installation import install_command


class Installed:
    """What an installer leaves beside a package."""

    def __init__(self, installer: str, origin: Any = None) -> None:
        self.files = {"INSTALLER": f"{installer}\n"}
        if origin is not None:
            self.files["direct_url.json"] = json.dumps(origin)

    def read_text(self, name: str) -> str | None:
        return self.files.get(name)


CLONE = {"url": "file:///home/me/my%20robots", "dir_info": {"editable": True}}
FOLDER = {"url": "file:///src/phalanx", "dir_info": {}}
GIT = {"url": "https://example.org/p.git", "vcs_info": {"vcs": "git", "commit_id": "0"}}
WHEEL = {"url": "https://example.org/p.whl", "archive_info": {}}


@pytest.mark.parametrize(
    ("installer", "origin", "said"),
    [
        ("pip", None, "pip install 'phalanx[view]'"),
        ("uv", None, "uv pip install 'phalanx[view]'"),
        ("pip", CLONE, "cd '/home/me/my robots' && pip install -e '.[view]'"),
        ("uv", CLONE, "cd '/home/me/my robots' && uv pip install -e '.[view]'"),
        ("pip", FOLDER, "cd /src/phalanx && pip install '.[view]'"),
        ("pip", GIT, "pip install 'phalanx[view] @ git+https://example.org/p.git'"),
        ("pip", WHEEL, "pip install 'phalanx[view] @ https://example.org/p.whl'"),
    ],
)
def test_as_it_came(monkeypatch, tmp_path, installer, origin, said):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed(installer, origin))
    assert install_command("view") == said
    assert str(px.MissingExtra("--view", "view")) == f"--view needs the extra 'view': {said}"


@pytest.mark.parametrize(
    ("file", "tool"),
    [
        ("uv-receipt.toml", "uv tool install"),
        ("pipx_metadata.json", "pipx install --force"),
    ],
)
def test_environments_of_programs(monkeypatch, tmp_path, file, tool):
    (tmp_path / file).touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(metadata, "distribution", lambda name: Installed("uv"))
    assert install_command("mpi") == f"{tool} 'phalanx[mpi]'"


def test_without_metadata(monkeypatch, tmp_path):
    def nothing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(metadata, "distribution", nothing)
    assert install_command("view") == "pip install 'phalanx[view]'"

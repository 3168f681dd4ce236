from __future__ import annotations

import pytest

import phalanx as px


@pytest.fixture
def read(tmp_path):
    """A scenario from its text."""

    def reader(text: str):
        path = tmp_path / "case.toml"
        path.write_text(text)
        return px.read_scenario(path)

    return reader

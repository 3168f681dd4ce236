"""Scenarios that come with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

# by name
SCENARIOS = {
    path.stem: path
    for path in sorted(Path(str(files("phalanx") / "data" / "scenarios")).glob("*.toml"))
}

"""A few seconds of the fuzzer, with cases that stay the same; hours of it are a command away."""

from __future__ import annotations

import pytest

from .fuzz import case, outcome
from .kinds import KINDS, quiet_read, seeds_of

SEED = 20
CASES = {"urdf": 60, "mjcf": 30, "closures": 60, "sdf": 60, "scenario": 40, "recording": 60}


@pytest.mark.parametrize("kind", KINDS)
def test_real_files_are_read(kind, tmp_path):
    """What mutations begin with is sound, or they would say nothing."""
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    for number, seed in enumerate(seeds_of(KINDS[kind])):
        file = tmp_path / f"{number}{KINDS[kind].suffix}"
        file.write_bytes(seed)
        quiet_read(KINDS[kind], file)


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_files_are_refused_or_read(kind, tmp_path):
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    ends = {n: outcome(kind, case(kind, SEED, n), tmp_path) for n in range(CASES.get(kind, 100))}
    found = {number: end for number, end in ends.items() if end not in ("read", "refused")}
    assert not found
    assert {"read", "refused"} <= set(ends.values())

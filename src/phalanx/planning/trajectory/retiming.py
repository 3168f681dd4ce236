"""Retiming methods of a path, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from phalanx.dynamics import Dynamics
from phalanx.planning.paths.path import Path
from phalanx.planning.trajectory.limits import Limits
from phalanx.planning.trajectory.optimal import time_optimal
from phalanx.planning.trajectory.scaling import fitted

Retiming: TypeAlias = Callable[[Dynamics, Path, float, Limits], tuple[Path, str]]


def _as_given(dynamics: Dynamics, path: Path, step: float, limits: Limits) -> tuple[Path, str]:
    return path, ""


def _uniform(dynamics: Dynamics, path: Path, step: float, limits: Limits) -> tuple[Path, str]:
    scaled, speed = fitted(dynamics, path, step, limits, faster=True)
    return (
        scaled,
        f"{speed:.4g} times as fast: {path.duration:.4g} s became {scaled.duration:.4g} s",
    )


def _optimal(dynamics: Dynamics, path: Path, step: float, limits: Limits) -> tuple[Path, str]:
    timing = time_optimal(dynamics, path, step, limits)
    said = f"time-optimal: {path.duration:.4g} s became {timing.path.duration:.4g} s"
    return timing.path, f"{said}, {timing.slowdown:.2%} of them to keep limits between grid points"


# by name: the path newly timed, and what became of it in words
RETIMINGS: dict[str, Retiming] = {"none": _as_given, "uniform": _uniform, "optimal": _optimal}

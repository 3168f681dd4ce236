"""Small runs that tests of sweeps share."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import phalanx as px
from phalanx import sweeps
from phalanx.simulation.setup.setup import DEFAULT_FORCES

ARM = px.library.double_pendulum()
LAW = px.proportional_derivative(stiffness=20.0, damping=5.0)


def effort(q, v, tau):
    return tau.T @ tau


def rollout(control=LAW, forces=DEFAULT_FORCES, **options) -> sweeps.Rollout:
    """Forty steps towards a target."""
    given = {"step": 5e-3, "inputs": {"target": [0.3, -0.2]}, "objective": effort}
    setup = px.Setup(ARM, control=control, forces=forces)
    return sweeps.Rollout(setup, steps=40, **(given | options))


def spread(cases: int = 50) -> sweeps.Random:
    """Masses and begins by chance."""
    body = ARM.bodies[-1].name
    return sweeps.Random(
        {f"{body}.mass": sweeps.Uniform(0.5, 2.0), "q0": sweeps.Normal([0.0, 0.5], 0.2)}, cases
    )


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of a store and what is in them."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def square(case) -> dict[str, object]:
    """Fails where x is above 0.9."""
    if case["x"] > 0.9:
        raise ValueError(f"{case['x']:.3f} is too far")
    return {"y": case["x"] ** 2, "noise": case.generator().normal(size=2)}


def squares(cases: int = 60) -> tuple[sweeps.Call, sweeps.Random]:
    """A function of a case, some of which fail."""
    run = sweeps.Call(square, gives={"y": (), "noise": (2,)})
    return run, sweeps.Random({"x": sweeps.Uniform(0.0, 1.0)}, cases)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays have the same bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()

"""Whatever comes to functions of paths and identification, they work or say what they expected."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from surface.test_wrong_arguments import WRONG

PATHS, ID = px.planning, px.identification
HERE, THERE = px.Pose(), px.Pose(translation=[1.0, 0.0, 0.0])
LIMITS = {"velocity_limit": 1.0, "acceleration_limit": 1.0}
OUT, BACK = PATHS.quintic([0.0, 0.0], [1.0, 1.0], 1.0), PATHS.quintic([1.0, 1.0], [0.0, 0.0], 1.0)
POINTS = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
ARM = px.Dynamics(px.library.double_pendulum(), threads=1)
MOTION = OUT(np.linspace(0, 1, 30))
DATA = dict(zip("qva", MOTION, strict=True)) | {"tau": ARM.inverse_dynamics(*MOTION)}
CALLS = {
    "quintic": {"start": [0.0], "end": [1.0], "duration": 1.0, "velocities": None, **LIMITS}
    | {"duration": 10.0},
    "trapezoid": {"start": [0.0], "end": [1.0], "duration": None, "timing": "each", **LIMITS},
    "spline": {"positions": POINTS, "times": None, "kind": "cubic", "ends": "rest", **LIMITS},
    "parabolic_blends": {"positions": POINTS, "times": None, **LIMITS},
    "line": {"start": HERE, "end": THERE, "duration": None, **LIMITS},
    "arc": {"start": HERE, "via": [0.5, 0.5, 0.0], "end": THERE, "duration": None, **LIMITS},
    "overlap": {"first": OUT, "second": BACK, "duration": 0.5},
    "round_corner": {"first": OUT, "second": BACK, "duration": 0.5},
    "through": {"rows": OUT.sample(0.1)},
    "write_rows": {"rows": OUT.sample(0.1), "path": "rows.csv", "mechanism": ARM.mechanism},
    "base_parameters": {"machine": ARM, "terms": [], "seed": 1},
    "identify": {"machine": ARM, **DATA, "terms": [], "noise": None},
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_get_an_answer(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, good = getattr(PATHS if hasattr(PATHS, name) else ID, name), CALLS[name]
    for parameter in good:
        for what, wrong in WRONG.items():
            try:
                made = function(**(good | {parameter: wrong}))
            except px.PhalanxError:
                continue
            if isinstance(made, PATHS.Path):
                finite = [np.isfinite(part).all() for part in made([0.0, made.duration])]
                assert all(finite), (parameter, what)

from __future__ import annotations

import json

import numpy as np
import pytest

import phalanx as px
from phalanx.identification.parameters import values_of


def measured(folder, name):
    """What one would measure along a motion, in the file of that name."""
    arm = px.library.double_pendulum()
    rows = px.planning.read_motion(folder / name, arm).sample(0.01)
    table = px.planning.TrajectoryTable.of(arm, rows)
    table.to_csv(folder / "data.csv")
    return arm


def test_from_a_motion_to_parameters(run, tmp_path):
    text = run("identify", "double_pendulum", "--excite", "motion.csv", "--period", "5").stdout
    assert "501 rows written to motion.csv, 5 s" in text and "6 base parameters" in text
    assert "exists" in run("identify", "double_pendulum", "--excite", "motion.csv", code=2).stderr
    arm = measured(tmp_path, "motion.csv")
    text = run("identify", "double_pendulum", "data.csv", "--check", "data.csv").stdout
    assert "6 base parameters" in text and "Error of the torques predicted for data.csv:" in text
    found = json.loads(run("identify", "double_pendulum", "data.csv", "--json").stdout)
    truth = px.identification.base_parameters(arm)
    values = [row["value"] for row in found["parameters"]]
    np.testing.assert_allclose(values, truth.of(values_of(arm, ())), atol=1e-6)
    assert [row["expression"] for row in found["parameters"]] == list(truth.expressions)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("puma560",), "neither was given"),
        (("puma560", "x.csv", "--excite", "y.csv"), "both were given"),
        (("puma560", "x.csv"), "No such file"),
        (("puma560", "--excite", "y.txt"), "suffix"),
        (("puma560", "--excite", "y.csv", "--terms", "weight"), "choose among"),
        (("puma560", "--excite", "y.csv", "--acceleration-limit", "0"), "positive"),
        (("four_bar", "--excite", "y.csv"), "closed loops"),
    ],
)
def test_what_is_refused(run, words, said):
    assert said in run("identify", *words, code=2).stderr


def test_a_motion_that_shows_too_little(run, tmp_path):
    arm = px.library.double_pendulum()
    still = px.planning.quintic([0.0, 0.0], [0.0, 0.0], 1.0)
    px.planning.write_rows(still.sample(0.01), tmp_path / "motion.csv", arm)
    measured(tmp_path, "motion.csv")
    said = run("identify", "double_pendulum", "data.csv", code=2).stderr
    assert "do not show all parameters" in said

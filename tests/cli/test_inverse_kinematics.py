from __future__ import annotations

import json

import numpy as np
import pytest

import phalanx as px

FIVE_BAR = ("inverse-kinematics", "five_bar", "--frame", "tool", "--position")


def test_a_pose(run):
    words = ("--frame", "tool", "--position", "0.4,0.2,0.3", "--rpy", "0.1,0.2,0.3", "--json")
    found = json.loads(run("inverse-kinematics", "puma560", *words).stdout)
    X = px.Dynamics(px.library.puma560()).forward_kinematics(found["q"], frame="tool")
    wanted = px.Pose.from_rpy((0.4, 0.2, 0.3), (0.1, 0.2, 0.3)).matrix
    assert np.abs(X - wanted).max() < 1e-7
    assert found["joints"]["joint_2"] == [found["q"][1]]
    assert max(found["errors"].values()) <= 1e-8


def test_a_place_of_a_machine_with_loops(run):
    result = run(*FIVE_BAR, "0.1,0,0.4")
    joints = [joint.name for joint in px.library.five_bar().moving_joints]
    assert all(name in result.stdout for name in joints)
    assert "loops open by" in result.stderr
    found = json.loads(run(*FIVE_BAR, "0.1,0,0.4", "--json", "--nearest").stdout)
    machine = px.library.five_bar()
    assert px.assemble(machine, found["q"]).q == pytest.approx(found["q"], abs=1e-11)


def test_a_place_out_of_reach(run):
    result = run(*FIVE_BAR, "3,0,0", code=2)
    assert "position of 'tool' cannot be reached: nearest is" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--position", "1,2,3"), "--frame NAME is missing. Frames of 'puma560': tool"),
        (("--frame", "tool"), "--position X,Y,Z is missing"),
        (("--frame", "tolo", "--position", "1,2,3"), "Did you mean 'tool'"),
        (("--frame", "tool", "--position", "1,2"), "--position has 2 numbers"),
        (("--frame", "tool", "--position", "1,2,3", "--q0", "1"), "--q0 has 1 numbers"),
        (("--frame", "tool", "--position", "0,0,0", "--tolerance", "-1"), "tolerance"),
    ],
)
def test_wrong_words(run, words, message):
    assert message in run("inverse-kinematics", "puma560", *words, code=2).stderr

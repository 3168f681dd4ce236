from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.bench import bench
from phalanx.bench.clock import TimingEffort
from phalanx.bench.contest import WrongNumber
from phalanx.bench.peers import find_peers
from phalanx.mechanism import Floating, Mimic, Planar, Prismatic, Revolute, Spherical

pytest.importorskip("pinocchio")


@pytest.fixture(autouse=True)
def short_turns(monkeypatch, tmp_path):
    monkeypatch.setattr("phalanx.bench.run.QUICK", TimingEffort(turn=1e-4, rounds=1))
    monkeypatch.setattr("phalanx.bench.contest.BATCH", 33)
    monkeypatch.setattr("phalanx.bench.contest.LARGE_BATCH", 65)


def body(name: str) -> px.Body:
    return px.Body(name, 2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.3, 0.4, 0.5]))


def pair(motion) -> px.Mechanism:
    place = px.Pose(translation=np.array([0.2, 0.1, -0.3]))
    return px.Mechanism(
        "pair",
        [px.Body("base"), body("first"), body("second"), body("plate")],
        [
            px.Joint("a", "base", "first", motion, place, rotor_inertia=0.01),
            px.Joint("b", "first", "second", Revolute((0.0, 1.0, 0.0)), place),
            px.Joint("c", "second", "plate", pose=place),
        ],
    )


@pytest.mark.parametrize(
    "motion",
    [
        Revolute((0.0, 0.0, 1.0)),
        Revolute((0.6, 0.0, 0.8)),
        Prismatic((0.0, 1.0, 0.0)),
        Prismatic((0.6, 0.0, 0.8)),
        Spherical(),
        Floating(),
    ],
    ids=lambda motion: f"{motion.kind}",
)
def test_every_quantity_equals_the_peers(motion):
    report = bench(pair(motion), quick=True, quantities=list(px.Dynamics(pair(motion)).quantities))
    assert "Pinocchio" in report.peers
    compared = [row.quantity for row in report.rows if "Pinocchio" in row.peers]
    assert len(compared) >= 12
    assert all(p.error < 1e-10 for row in report.rows for p in row.peers.values())
    assert report.row("inverse-dynamics").peers["Pinocchio"].call == "rneaInParallel"


def test_mujoco_where_it_can():
    pytest.importorskip("mujoco")
    report = bench(pair(Revolute()), quick=True)
    assert report.row("forward-dynamics").peers["MuJoCo"].error < 1e-8
    free = bench(pair(Floating()), quick=True)
    assert "MuJoCo" not in free.peers
    assert any("mujoco" in remark for remark in free.remarks)


def test_mujoco_takes_moments_of_inertia_that_tables_leave_out():
    """Link 1 of the PUMA 560 has only the moment about its axis in the published table."""
    pytest.importorskip("mujoco")
    for arm in (px.library.puma560(), px.library.stanford()):
        report = bench(arm, quick=True, quantities=["inverse_dynamics", "forward_dynamics"])
        assert all(row.peers["MuJoCo"].error < 1e-10 for row in report.rows)


def test_a_joint_with_other_coordinates_is_not_compared():
    peers, remarks = find_peers(pair(Planar()), "plate")
    assert peers == []
    assert any("planar" in remark for remark in remarks)


def test_mimics_are_set_free_and_said():
    machine = pair(Revolute())
    joints = [replace(j, mimic=Mimic("a")) if j.name == "b" else j for j in machine.joints]
    follower = replace(machine, joints=joints)
    report = bench(follower, quick=True, quantities=["bias"])
    assert report.nv == 2
    assert any("mimic" in remark for remark in report.remarks)


def test_a_wrong_number_is_not_timed(monkeypatch):
    from phalanx.bench.peers.pinocchio import Pinocchio

    monkeypatch.setattr(Pinocchio, "one", lambda *_: lambda *arguments: arguments[0] + 1e-3)
    with pytest.raises(WrongNumber, match="fast wrong number"):
        bench(pair(Revolute()), quick=True, quantities=["integrate"])


def test_big_matrices_get_shorter_batches(monkeypatch):
    monkeypatch.setattr("phalanx.bench.contest.BATCH", 8192)
    monkeypatch.setattr("phalanx.bench.contest.MEMORY", 1 << 16)
    report = bench(pair(Revolute()), quick=True, quantities=["regressor"], peers=False)
    assert report.row("regressor").batch == 256


def test_a_report_is_json():
    data = bench(pair(Revolute()), quick=True, quantities=["bias"]).as_json()
    assert data["rows"][0]["ratios"]["Pinocchio"]["batched"] > 0

"""Paths in files: read, checked, written; what is wrong is said with its line."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import (
    TrajectoryTable,
    demo_waypoints,
    read_motion,
    read_path,
)

ARM = px.library.double_pendulum()
UPPER, LOWER = px.planning.Limits.of(ARM).joints


@pytest.fixture
def write(tmp_path):
    def to_file(text, name="path.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return to_file


def test_without_a_header_columns_are_time_and_joints_in_order(write):
    times, positions = read_path(write("0,0.1,0.2\n1,0.3,0.4\n"), ARM).points
    assert times.tolist() == [0, 1]
    assert positions.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_a_header_names_joints_in_any_order_and_says_units(write):
    text = f"t [s],{LOWER} [deg],{UPPER} (rad)\n0,90,0.2\n1,-45,0.4\n"
    _, positions = read_path(write(text), ARM).points
    np.testing.assert_allclose(positions, [[0.2, np.pi / 2], [0.4, -np.pi / 4]])


def test_other_names_are_taken_in_order(write):
    _, positions = read_path(write("time,q1,q2\n0,1,2\n1,3,4\n"), ARM).points
    assert positions.tolist() == [[1, 2], [3, 4]]


def test_what_is_written_is_read_again(tmp_path):
    rows = demo_waypoints(ARM).path().sample(0.1)
    table = TrajectoryTable.of(ARM, rows)
    table.to_csv(tmp_path / "rows.csv")
    times, positions = read_path(tmp_path / "rows.csv", ARM).points
    np.testing.assert_allclose(times, rows.times, atol=1e-12)
    np.testing.assert_allclose(positions, rows.q, rtol=1e-11)
    written = np.loadtxt(tmp_path / "rows.csv", delimiter=",", skiprows=1)
    np.testing.assert_allclose(written[:, 7:], table.torque, rtol=1e-11)
    again = read_motion(tmp_path / "rows.csv", ARM).sample(0.1)
    for one, other in zip(again.parts, rows.parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-11)
    with pytest.raises(px.WriteError, match="cannot be written"):
        table.to_csv(tmp_path / "nowhere" / "rows.csv")


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"time": [0.0, 1.0], f"{LOWER} [deg]": [90.0, 0.0], UPPER: [0.1, 0.2]})
    parquet.write_table(table, tmp_path / "path.parquet")
    _, positions = read_path(tmp_path / "path.parquet", ARM).points
    np.testing.assert_allclose(positions, [[0.1, np.pi / 2], [0.2, 0.0]])
    parquet.write_table(
        pyarrow.table({"time": [1.0, 0.0], "a": [0, 1], "b": [0, 1]}), tmp_path / "b.pq"
    )
    with pytest.raises(px.ReadError, match="row 1: the time 0 s does not follow 1 s"):
        read_path(tmp_path / "b.pq", ARM)
    parquet.write_table(pyarrow.table({"time": ["x", "y"]}), tmp_path / "c.parquet")
    with pytest.raises(px.ReadError, match="not a table of numbers"):
        read_path(tmp_path / "c.parquet", ARM)
    (tmp_path / "d.parquet").write_text("0,1,2\n")
    with pytest.raises(px.ReadError, match=r"d\.parquet: not a table"):
        read_path(tmp_path / "d.parquet", ARM)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,1,2\n1,1,2\n1,1,2\n", r"line 3: the time 1 s does not follow 1 s"),
        ("t,a,b\n0,1,2\n\n# a remark\n2,1,2\n1,1,2\n", r"line 6: the time 1 s does not follow 2 s"),
        ("0,1,2\n1,nan,2\n", f"line 2: joint '{UPPER}' is nan"),
        ("0,1,2\ninf,1,2\n", "line 2: the time is inf"),
        ("0,1,2\n1,1,1e30\n", f"line 2: joint '{LOWER}' is 1e"),
        ("0,1\n1,2\n", "2 columns; expected 3: the time and 2 joints"),
        ("0,1,2,3\n1,2,3,4\n", "4 columns; expected 3"),
        ("0,1,2\n1,2\n", "not a table"),
        ("0,1,2\n1,2,x\n", "not a table"),
        ("t,a\n0,1,2\n1,1,2\n", "a header of 2 names above rows of 3 columns"),
        ("0,1,2\n", "one row; a path has two or more"),
        ("", "empty|no number"),
        (f"t,{UPPER},wrist\n0,1,2\n1,1,2\n", "column 'wrist' is no joint of 'double_pendulum'"),
        (f"t,{UPPER},{UPPER}\n0,1,2\n1,1,2\n", "twice"),
        ("t,a [mm],b\n0,1,2\n1,1,2\n", r"column 'a \[mm\]' is in 'mm'"),
    ],
)
def test_a_file_that_is_no_path_says_where(write, text, words):
    with pytest.raises(px.ReadError, match=words) as error:
        read_path(write(text), ARM)
    assert "path.csv" in str(error.value)


def test_a_motion_without_rates_is_a_spline(write):
    path = write("0,0.1,0.2\n1,0.3,0.4\n2,0,0\n")
    t = np.linspace(0, 2, 7)
    for one, other in zip(read_motion(path, ARM)(t), read_path(path, ARM).path()(t), strict=True):
        np.testing.assert_array_equal(one, other)


def test_rates_that_are_no_numbers(write):
    rates = [
        f"{what} of {joint}" for what in ("velocity", "acceleration") for joint in (UPPER, LOWER)
    ]
    text = f"t,{UPPER},{LOWER},{','.join(rates)}\n0,1,2,0,0,0,0\n1,1,2,0,nan,0,0\n"
    with pytest.raises(px.ReadError, match=f"line 3: joint '{LOWER}' is nan"):
        read_motion(write(text), ARM)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(px.ReadError, match="No such file"):
        read_path(tmp_path / "none.csv", ARM)


def test_positions_outside_of_a_joints_range(write):
    from planning.trajectory.arms import pendulum

    machine = pendulum(lower=-1.0, upper=1.0)
    path = write("0,0\n1,1.05\n2,1.2\n3,0\n")
    with pytest.raises(px.ReadError, match=r"line 3: joint 'hinge' is at 1\.2, 0\.2 outside"):
        read_path(path, machine)
    assert len(read_path(path, machine, beyond_range=True)) == 4


def test_a_machine_without_such_positions(write):
    with pytest.raises(px.InvalidModel, match="floating"):
        read_path(write("0,1,2\n1,1,2\n"), px.with_floating_base(ARM))

from __future__ import annotations

import pytest

from phalanx.base import robots
from phalanx.base.errors import MissingExtra, ReadError, UnknownName
from phalanx.base.robots import robot_files
from phalanx.cli.models import find_model

needs_robots = pytest.mark.skipif(not robot_files(), reason="example-robot-data is not installed")


def test_a_machine_of_the_library():
    assert find_model("puma560").nv == 6


def test_a_file(pendulum):
    assert find_model(str(pendulum)).name == "pendulum"


@pytest.mark.parametrize("model", ["puma560", "file"])
def test_floating_base(model, pendulum):
    fixed = find_model(str(pendulum) if model == "file" else model)
    free = find_model(str(pendulum) if model == "file" else model, floating_base=True)
    assert free.nv == fixed.nv + 6


@needs_robots
def test_a_robot_of_the_wheel():
    assert find_model("robot:ur5_robot").nv == 6


@needs_robots
def test_robots_of_one_name_are_told_apart():
    assert sum(name.endswith("/anymal") for name in robot_files()) == 2


@needs_robots
def test_a_robot_that_is_not_there():
    with pytest.raises(UnknownName, match="ur5_robot"):
        find_model("robot:ur5_robt")


@needs_robots
def test_a_bare_name_leads_to_the_robot():
    with pytest.raises(UnknownName, match="robot:ur5_robot"):
        find_model("ur5")


def test_without_the_wheel(monkeypatch):
    monkeypatch.setattr(robots, "ROBOTS_PACKAGE", "no-such-package")
    assert robot_files() == {}
    with pytest.raises(MissingExtra, match=r"\[robots\]"):
        find_model("robot:ur5_robot")


def test_a_near_name_is_suggested():
    with pytest.raises(UnknownName, match="Did you mean 'puma560'"):
        find_model("pmua560")


@pytest.mark.parametrize("model", ["missing.urdf", "folder/model", "arm.xml"])
def test_what_looks_like_a_file_is_one(model):
    with pytest.raises(ReadError, match="there is no file"):
        find_model(model)


def test_warnings_of_the_reader_are_shown(run, pendulum):
    pendulum.write_text(
        pendulum.read_text().replace(
            "</link>", '<visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>', 1
        )
    )
    result = run("info", "pendulum.urdf")
    assert "Warning:" in result.stderr
    assert "gone.stl" in result.stderr

from pathlib import Path

import pytest

import phalanx as px
from mechanism.read.test_model_file import PENDULUM
from phalanx.base import robots
from phalanx.base.errors import MissingExtra, ReadError, UnknownName

needs_robots = pytest.mark.skipif(
    not robots.robot_files(), reason="example-robot-data is not installed"
)


def test_machines_of_the_library_by_name():
    assert px.load("puma560") == px.library.puma560()
    assert px.load("chain:3,spherical") == px.library.chain(3, "spherical")


def test_what_load_does_with_files_it_does_with_names():
    free = px.load("puma560", floating_base=True)
    assert free.nv == px.library.puma560().nv + 6
    assert len(px.load("stanford", merge_fixed=True).bodies) == 7


@needs_robots
def test_a_robot_by_name_is_its_file():
    assert px.load("robot:ur5_robot") == px.load(robots.robot_files()["ur5_robot"])


def test_a_name_wins_over_a_file_and_a_path_is_always_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "puma560").write_text(PENDULUM)
    assert px.load("puma560").nv == 6
    for file in ("./puma560", Path("puma560")):
        with pytest.raises(ReadError, match="unknown format"):
            px.load(file)


def test_a_bare_name_that_is_a_file_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(PENDULUM)
    assert px.load("arm.urdf").name == "pendulum"


@pytest.mark.parametrize(("wrong", "meant"), [("pmua560", "puma560"), ("chian:300", "chain")])
def test_a_near_name_is_suggested(wrong, meant):
    with pytest.raises(UnknownName, match=f"'{wrong}'.*Models: {meant}"):
        px.load(wrong)


def test_robots_without_their_package(monkeypatch):
    monkeypatch.setattr(robots, "ROBOTS_PACKAGE", "no-such-package")
    with pytest.raises(MissingExtra, match=r"'robot:panda'.*\[robots\]"):
        px.load("robot:panda")

"""Machines, joints and frames may have any text as their name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.expression import identifier

NAMES = ["Großer Bagger", "掘削機 № 5", "arm 'A' \"B\"", "🦾", "é", "1st"]
PLAIN = px.library.double_pendulum()


def renamed(name: str) -> px.Mechanism:
    """The double pendulum with this text in all names."""
    own = {body.name: f"{name} {k}" for k, body in enumerate(PLAIN.bodies)}
    bodies = [replace(body, name=own[body.name]) for body in PLAIN.bodies]
    joints = [
        replace(joint, name=f"{name} j{k}", parent=own[joint.parent], child=own[joint.child])
        for k, joint in enumerate(PLAIN.joints)
    ]
    return px.Mechanism(name, bodies, joints, gravity=PLAIN.gravity)


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_a_name(name, tmp_path):
    machine = renamed(name)
    q, v, a = np.array([0.3, -0.4]), np.array([1.0, 2.0]), np.array([0.5, -0.1])
    expected = px.Dynamics(PLAIN).inverse_dynamics(q, v, a)
    assert np.array_equal(px.Dynamics(machine).inverse_dynamics(q, v, a), expected)
    tool = machine.joints[-1].child
    assert np.array_equal(
        px.Dynamics(machine).forward_kinematics(q, frame=tool),
        px.Dynamics(PLAIN).forward_kinematics(q, frame=PLAIN.joints[-1].child),
    )
    function = px.expression(
        px.inverse_dynamics.recursive, machine, parameters=[f"{tool}.mass"], wrenches=[tool]
    )
    assert all(text.isascii() and text.isidentifier() for text in function.name_in())
    px.export_c(function, tmp_path / "f.c")
    px.export_fortran(function, tmp_path / "f.f90")
    for path in (tmp_path / "f.c", tmp_path / "f.f90"):
        assert path.stat().st_size > 100
    run = px.simulate(machine, q, v, duration=0.01)
    run.write(tmp_path / "run.mcap")
    assert px.Recording.read(tmp_path / "run.mcap") == run


def test_names_that_differ_in_letters_beyond_ascii_stay_different():
    made = {identifier(f"{name}.mass") for name in ("臂", "腿", "ä", "ö", "Ä", "a")}
    assert len(made) == 6
    assert all(text.isascii() and text.isidentifier() for text in made)

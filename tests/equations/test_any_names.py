"""Machines, joints and frames may have any text as their name."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from xml.etree import ElementTree

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.expression import identifier
from phalanx.view.plots import plots
from phalanx.view.plots.draw import draw, save
from phalanx.view.reports.report import write_report

NAMES = ["Großer Bagger", "掘削機 № 5", "arm 'A' \"B\"", "🦾", "é", "1st", "حفارة", "[a,b]"]
NAMES += ["<b>&amp;\n"]
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
    px.export_object(function, tmp_path / "f.o", processor="x86-64")
    assert (tmp_path / "f.o").read_bytes().startswith(b"\x7fELF")
    run = px.simulate(machine, q, v, duration=0.01, parameters={f"{tool}.mass": 1.0})
    run.write(tmp_path / "run.mcap")
    assert px.Recording.read(tmp_path / "run.mcap") == run


def test_names_that_differ_in_letters_beyond_ascii_stay_different():
    made = {identifier(f"{name}.mass") for name in ("臂", "腿", "ä", "ö", "Ä", "a")}
    assert len(made) == 6
    assert all(text.isascii() and text.isidentifier() for text in made)


@pytest.mark.filterwarnings("ignore:Glyph")  # Matplotlib names what its font does not have
@pytest.mark.parametrize("name", NAMES)
def test_pages_and_pictures_show_the_name(name, tmp_path):
    machine = renamed(name)
    run = px.simulate(machine, duration=0.01, settings={"model": name, "scenario": name})
    page = write_report(run, tmp_path / name.replace('"', "")).read_text(encoding="utf-8")
    assert f"<h1>{escape(name)}</h1>" in page and escape(f"{name} j0") in page
    save(draw(machine), tmp_path / "machine.svg")
    save(plots.trajectories(run, "q"), tmp_path / "run.svg")
    for path in tmp_path.glob("*.svg"):
        ElementTree.fromstring(path.read_bytes())  # well formed


def test_runs_of_files_whose_names_are_not_unicode_are_kept(tmp_path):
    """Python has bytes that it cannot decode as lone surrogates, which no other file may hold."""
    run = px.simulate(PLAIN, duration=0.01, settings={"model": "R\udce4der.urdf"})
    assert run.settings["model"] == "R?der.urdf"
    run.write(tmp_path / "run.mcap")
    assert px.Recording.read(tmp_path / "run.mcap") == run
    assert "R?der.urdf" in write_report(run, tmp_path / "run.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_sweep_store_keeps_the_name(name, tmp_path):
    """Blanks are none of it: they are refused, by name."""
    pytest.importorskip("zarr")
    blank = renamed(name).bodies[1].name
    with pytest.raises(px.InvalidInput, match=f"'{re.escape(blank)}.mass'|without blanks"):
        px.sweeps.Grid({f"{blank}.mass": [1.0]})
    own = "_".join(name.split())
    bodies = [replace(body, name=f"{own}_{k}") for k, body in enumerate(PLAIN.bodies)]
    places = {old.name: new.name for old, new in zip(PLAIN.bodies, bodies, strict=True)}
    joints = [
        replace(joint, parent=places[joint.parent], child=places[joint.child])
        for joint in PLAIN.joints
    ]
    machine = px.Mechanism(name, bodies, joints, gravity=PLAIN.gravity)
    mass = f"{bodies[1].name}.mass"
    over = px.sweeps.Grid({mass: [1.0, 2.0]})
    to = tmp_path / f"{own}.zarr"
    px.sweep(px.sweeps.Rollout(machine, steps=2), over, keep=["q_end"], to=to)
    found = px.sweeps.Store.open(to).to_xarray().load()
    assert found[mass].values.tolist() == [1.0, 2.0]
    assert found["q_end"].shape == (2, 2)


@pytest.mark.parametrize(("first", "second"), [("a b", "a_b"), ("ä", "ue4")])
def test_two_names_that_are_one_in_c_are_refused_by_name(first, second):
    own = dict(zip([body.name for body in PLAIN.bodies], ["base", first, second], strict=True))
    machine = px.Mechanism(
        "twins",
        [replace(body, name=own[body.name]) for body in PLAIN.bodies],
        [
            replace(joint, parent=own[joint.parent], child=own[joint.child])
            for joint in PLAIN.joints
        ],
        gravity=PLAIN.gravity,
    )
    names = [f"{first}.mass", f"{second}.mass"]
    masses = {name: 1.0 for name in names}
    state = np.zeros((1, 2))
    for call in (
        lambda: px.expression(px.inverse_dynamics.recursive, machine, parameters=names),
        lambda: px.expression(px.inverse_dynamics.recursive, machine, wrenches=[first, second]),
        lambda: px.Dynamics(machine, parameters=names).gravity,
        lambda: px.simulate(machine, duration=0.01, parameters=masses),
        lambda: px.rollout(machine, state, state, steps=2, parameters=masses),
        lambda: px.simulate(
            machine, duration=0.01, wrenches=dict.fromkeys((first, second), [0] * 6)
        ),
    ):
        with pytest.raises(px.InvalidInput, match=f"'.*{second}.*' and '.*{first}.*', inputs of"):
            call()

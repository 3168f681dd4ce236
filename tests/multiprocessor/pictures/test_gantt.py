"""Pictures of plans: what is drawn is what is planned."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.pictures.captions import time_axis
from phalanx.multiprocessor.pictures.colouring import PALETTE, colouring, kinds
from phalanx.multiprocessor.pictures.gantt import gantt_figure

THREE = (
    Operations(multiply=3),
    Operations(multiply=2, add=1),
    Operations(multiply=1, add=2),
    Operations(add=3),
)


def chain_of_links(links=6, each=4):
    """A graph whose tasks have links and kinds, as the source's have."""
    names = [f"{100 * i + t}" for i in range(1, links + 1) for t in range(1, each + 1)]
    waits = {name: names[max(0, k - 3) : k : 2] for k, name in enumerate(names)}
    tasks = [
        mp.Task(name, THREE[k % 4], f"part {k % each}", f"link_{k // each + 1}")
        for k, name in enumerate(names)
    ]
    return mp.TaskGraph.of("chain", waits, tasks)


def bars_of(figure):
    """Left, right, row and colour of every filled bar."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_hex

    found = set()
    for collection in figure.axes[0].collections:
        if not isinstance(collection, PolyCollection) or not len(collection.get_facecolor()):
            continue
        colour = to_hex(collection.get_facecolor()[0])
        for path in collection.get_paths():
            (left, low), (right, high) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            found.add((round(left, 9), round(right, 9), round((low + high) / 2), colour))
    return found


def test_every_task_is_drawn_where_it_is_planned():
    graph = chain_of_links()
    plan = mp.schedule(graph, mp.uniform_tasks(3))
    colours = colouring(graph, "link")
    drawn = bars_of(gantt_figure(plan, "link"))
    for p in plan.placements:
        colour = colours.colours[colours.group_of[p.task]]
        assert (p.start, p.end, p.processor, colour) in drawn
    assert len(drawn) == len(plan.placements) + 3  # and a row of idle time for each processor


def test_messages_are_drawn_on_wires():
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    plan = mp.schedule(graph, mp.transputer_mesh(2, 2))
    assert plan.messages
    figure = gantt_figure(plan)
    axis = time_axis("s", plan.makespan)
    wires = sorted({hop.link for m in plan.messages for hop in m.hops})
    spans = {bar[:3] for bar in bars_of(figure)}
    for message in plan.messages:
        for hop in message.hops:
            row = 4 + wires.index(hop.link)
            ends = round(hop.start / axis.length, 9), round(hop.end / axis.length, 9)
            assert (*ends, row) in spans
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [f"processor {p}" for p in range(4)] + [f"wire {wire}" for wire in wires]


def test_the_picture_says_what_it_shows():
    plan = mp.schedule(chain_of_links(), mp.intel_8086(2), mp.layered)
    axes = gantt_figure(plan).axes[0]
    title = axes.get_title(loc="left")
    assert "chain · 2 × 8086 class · layered" in title
    assert f"makespan {1e3 * plan.makespan:.4g} ms" in title
    assert f"speed-up {plan.speedup:.3g}" in title
    assert axes.get_xlabel() == "time [ms]"
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == [*(f"link_{i}" for i in range(1, 7)), "critical path", "idle"]


@pytest.mark.parametrize(
    ("longest", "unit", "shown"),
    [
        (3.65e-3, "s", "3.65 ms"),
        (1e-6, "s", "1 µs"),
        (2e-10, "s", "0.2 ns"),
        (58, "levels", "58 levels"),
    ],
)
def test_times_are_in_units_people_read(longest, unit, shown):
    assert time_axis(unit, longest).shown(longest) == shown


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html"])
def test_every_format_is_written(suffix, tmp_path):
    path = tmp_path / f"plan.{suffix}"
    mp.schedule(chain_of_links(), mp.uniform_tasks(3)).gantt(str(path), color_by="kind")
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}
    assert path.read_bytes().startswith(starts[suffix])


def test_names_with_dollars_are_not_formulas(tmp_path):
    graph = mp.TaskGraph.of("$x^$", {"_a$": [], "$\\frac$": ["_a$"]})
    mp.schedule(graph, mp.uniform_tasks(1)).gantt(tmp_path / "plan.svg")
    mp.schedule(mp.TaskGraph("empty", (), ()), mp.uniform_tasks(1)).gantt(tmp_path / "none.png")


def test_wrong_plans_say_so():
    plan = mp.schedule(chain_of_links(), mp.uniform_tasks(3))
    early = replace(plan, placements=tuple(p._replace(start=0.0, end=1.0) for p in plan.placements))
    title = gantt_figure(early).axes[0].get_title(loc="left")
    assert f"{len(early.violations)} rules broken" in title


def test_colours_follow_links_and_kinds():
    graph = chain_of_links()
    by_link, by_kind = colouring(graph, "link"), colouring(graph, "kind")
    assert colouring(graph) == by_link
    assert by_link.groups == tuple(f"link_{i}" for i in range(1, 7))
    assert by_kind.groups == ("3 multiply", "2 multiply + add", "2 add + multiply", "3 add")
    for i, task in enumerate(graph.tasks):
        assert by_link.groups[by_link.group_of[i]] == task.link
    scalars = mp.task_graph(px.inverse_dynamics.recursive, px.library.puma560())
    assert colouring(scalars).way == "kind"  # none of them belongs to a link
    assert colouring(scalars, "link").groups == ("no link",)


def test_many_kinds_are_put_together_and_many_links_follow_a_scale():
    many = mp.TaskGraph.of(
        "many",
        {f"t{k}": [] for k in range(40)},
        [mp.Task(f"t{k}", Operations(multiply=k, add=20), link=f"link_{k}") for k in range(40)],
    )
    assert set(kinds(many)) == {"mostly add", "mostly multiply"}
    colours = colouring(many, "link").colours
    assert len(set(colours)) == 40
    brightness = [sum(rgb(colour) * [0.2126, 0.7152, 0.0722]) for colour in colours]
    assert brightness == sorted(brightness)


def rgb(colour):
    """Linear red, green and blue of ``#rrggbb``."""
    part = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


# how people without one kind of cone see colours: Machado, Oliveira and Fernandes (2009)
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.01182, 0.04294, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.3039],
        ]
    ),
}


def lab(linear):
    """CIELAB, in which a distance of 2.3 is just noticed."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(xyz @ np.clip(linear, 0, 1) / [0.9505, 1.0, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISION)
def test_colours_can_be_told_apart(vision):
    """Any two of the eight are six times as far apart as can just be noticed."""
    seen = [lab(VISION[vision] @ rgb(colour)) for colour in PALETTE]
    apart = [np.linalg.norm(a - b) for k, a in enumerate(seen) for b in seen[:k]]
    assert min(apart) > 14


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan.gif", "suffix must be one of .svg, .png, .pdf, .html"),
        ("plan", "suffix must be one of"),
    ],
)
def test_other_suffixes_are_refused(name, message, tmp_path):
    with pytest.raises(InvalidInput, match=re.escape(message)):
        mp.schedule(chain_of_links(), mp.uniform_tasks(1)).gantt(tmp_path / name)


@pytest.mark.parametrize("suffix", ["html", "png"])
def test_a_folder_that_is_not_there(suffix, tmp_path):
    plan = mp.schedule(chain_of_links(), mp.uniform_tasks(1))
    with pytest.raises(InvalidInput, match=r"cannot write .*plan\.\w+: No such file"):
        plan.gantt(tmp_path / "nowhere" / f"plan.{suffix}")


@pytest.mark.parametrize("suffix", ["html", "png"])
def test_an_unknown_colouring(suffix, tmp_path):
    plan = mp.schedule(chain_of_links(), mp.uniform_tasks(1))
    with pytest.raises(UnknownName, match=r"no colouring 'links'. Did you mean 'link'"):
        plan.gantt(tmp_path / f"plan.{suffix}", color_by="links")

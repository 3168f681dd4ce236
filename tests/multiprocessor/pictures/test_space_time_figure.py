"""Pictures of arrays at work: what is drawn is what is done."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from multiprocessor.pictures.test_gantt import bars_of
from multiprocessor.plans.test_space_time import by_hand, complex_product, one_after_the_other
from phalanx import multiprocessor as mp
from phalanx.multiprocessor.pictures.colouring import PALETTE

SETS = 10  # more than there are colours


def test_every_task_of_every_set_is_drawn_in_its_colour():
    made = complex_product().at_work(SETS)
    drawn = bars_of(mp.space_time_figure(made))
    for event in made.events:
        colour = PALETTE[event.set % len(PALETTE)]
        assert (event.start, event.end, event.site, colour) in drawn
    assert len(drawn) == len(made.events) + len(made.sites)  # and idle time of each


def test_nodes_have_layers_as_high_as_sets_are_busy():
    from matplotlib.colors import to_hex

    made = complex_product().at_work(3)
    grid = mp.space_time_figure(made, folded=True).axes[0]
    assert [label.get_text() for label in grid.get_yticklabels()] == ["node 1", "node 2"]
    area: dict[str, float] = {}
    for collection in grid.collections:
        colour = to_hex(collection.get_facecolor()[0])
        for path in collection.get_paths():
            (left, low), (right, high) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            if round((low + high) / 2) == 0:
                area[colour] = area.get(colour, 0.0) + (right - left) * (high - low)
    # both multipliers of the node are busy all the time of a set: 4 ticks each
    for number in range(3):
        assert area[PALETTE[number]] == pytest.approx(4.0 * 0.86)


def test_many_cells_are_folded():
    names = [f"n{i} · {k}" for i in range(12) for k in range(5)]
    graph = mp.TaskGraph.of("many", {name: [] for name in names})
    operators = [mp.Operator(name, {"add": 1.0}) for name in names]
    rows = tuple(mp.Placement(k, k, 0.0, 1.0) for k in range(60))
    plan = mp.Schedule(graph, mp.SharedMemory(60, operators, "ticks"), rows)
    made = mp.Periodic(plan, 1.0).at_work(2)
    labels = [text.get_text() for text in mp.space_time_figure(made).axes[0].get_yticklabels()]
    assert labels == [f"n{i}" for i in range(12)]
    open_labels = mp.space_time_figure(made, folded=False).axes[0].get_yticklabels()
    assert len(open_labels) == 60


def test_axes_have_units_and_buffers_their_numbers():
    made = one_after_the_other().at_work(SETS)
    grid, below = mp.space_time_figure(made).axes
    assert below.get_xlabel() == "time [ticks]"
    assert below.get_xlim() == (0.0, made.span)
    title = grid.get_title(loc="left")
    assert "1 × shared memory" in title and "a set every 6 ticks" in title
    _, amounts = made.fill()
    (area,) = below.collections
    assert area.get_paths()[0].vertices[:, 1].max() == amounts.max() > 0
    texts = [text.get_text() for text in grid.get_legend().get_texts()]
    assert texts == [str(k) for k in range(SETS)]


def test_wrong_arrays_say_so():
    made = complex_product(3.0).at_work()
    title = mp.space_time_figure(made).axes[0].get_title(loc="left")
    assert f"{len(made.broken)} rules broken" in title


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html"])
def test_every_format_is_written(suffix, tmp_path):
    path = tmp_path / f"array.{suffix}"
    complex_product().space_time(str(path), 2, [np.ones((2, 4))])
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}
    assert path.read_bytes().startswith(starts[suffix])
    by_hand().draw(path)
    assert path.read_bytes().startswith(starts[suffix])


def test_the_legend_of_sets_says_so():
    axes = mp.gantt_figure(complex_product().unrolled(3)).axes[0]
    assert axes.get_legend().get_title().get_text() == "by set"


def test_an_array_that_does_nothing_can_be_drawn(tmp_path):
    nothing = mp.SpaceTime("nothing", "ticks", (), (), ())
    for made in (nothing, replace(by_hand(), events=())):
        for suffix in ("html", "png"):
            made.draw(tmp_path / f"array.{suffix}")
    assert (nothing.span, nothing.sets) == (0.0, 0)

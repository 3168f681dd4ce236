"""Clocked cells at work as data: ticks, sets, numbers, registers on wires."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.cells.test_clocked import filter_array, solver_array
from phalanx.base.errors import InvalidInput, UnknownName

MATRIX = np.array([[1.0, 0, 0], [2, 1, 0], [3, 4, 2]])
PLACES = {"edge0": (0.0, 0.0), "inner10": (0.0, 1.0), "edge1": (1.0, 1.0)}


def solver_streams(sides: np.ndarray) -> dict[str, np.ndarray]:
    """Row i of every right-hand side comes 2 i ticks after row 0."""
    return {f"b{i}": np.concatenate([np.zeros(2 * i), sides[:, i]]) for i in range(3)}


def test_a_mesh_works_on_a_set_along_its_diagonal():
    sides = np.random.default_rng(1).normal(size=(4, 3))
    made = solver_array(MATRIX).at_work(8, PLACES, **solver_streams(sides))
    names = [site.name for site in made.sites]
    for event in made.events:
        name = names[event.site]
        step = 2 * int(name[4:]) if name.startswith("edge") else int(name[5]) + int(name[6])
        assert (event.start, event.end) == (step + event.set, step + event.set + 1)
    # what edge cells write for a set solves its system
    slot = {names[k]: work.writes[0].slots[0] for k, work in enumerate(made.works)}
    for k, side in enumerate(sides):
        found = [made.numbers[k][slot[f"edge{i}"]] for i in range(3)]
        np.testing.assert_allclose(found, np.linalg.solve(MATRIX, side), rtol=1e-12)
    assert made.sites[0].position == (0.0, 0.0)
    assert (names.index("edge0"), names.index("inner10")) in made.links
    assert made.stores == () and made.broken == ()


def test_what_a_cell_reads_was_written_by_its_neighbour():
    sides = np.random.default_rng(2).normal(size=(4, 3))
    made = solver_array(MATRIX).at_work(8, **solver_streams(sides))
    works = {work.name: work for work in made.works}

    def number(k: int, cell: str, name: str) -> float:
        quantities = (*works[cell].reads, *works[cell].writes)
        return made.numbers[k][next(q.slots[0] for q in quantities if q.name == name)]

    for k in range(4):
        assert number(k, "inner21", "x_in") == number(k, "edge1", "x")
        assert number(k, "inner21", "s_in") == number(k, "inner20", "s")
        assert number(k, "inner20", "s") == 3.0 * number(k, "inner20", "x_in")


def test_values_wait_in_registers_on_long_wires():
    made = filter_array([1.0, 2.0, 4.0]).at_work(x=np.ones(6), zero=np.zeros(6))
    assert [store.name for store in made.stores] == [
        "tap0.x to tap1.x_in",
        "tap1.x to tap2.x_in",
    ]
    moments, amounts = made.fill(0)
    assert (moments[0], amounts.max(), made.stores[0].depth) == (1.0, 1, 1)
    assert amounts[-1] == 0 and moments[-1] <= made.span


def test_groups_put_cells_together():
    groups = {"tap0": "first", "tap1": "rest", "tap2": "rest"}
    array = filter_array([1.0, 2.0, 4.0])
    made = array.at_work(groups=groups, x=np.ones(6), zero=np.zeros(6))
    assert made.groups == {"first": (0,), "rest": (1, 2)}


def test_what_is_refused(tmp_path):
    array = filter_array([1.0, 2.0])
    with pytest.raises(UnknownName, match="no cell 'tap7'"):
        array.at_work(positions={"tap7": (0.0, 0.0)}, x=[1.0], zero=[0.0])
    with pytest.raises(InvalidInput, match="does nothing in 0 ticks"):
        array.at_work(0, x=[1.0], zero=[0.0])
    with pytest.raises(InvalidInput, match=r"into array\.gif: its suffix must be one of"):
        array.space_time(tmp_path / "array.gif", x=[1.0], zero=[0.0])
    array.space_time(tmp_path / "array.html", x=[1.0], zero=[0.0])
    assert "tap1" in (tmp_path / "array.html").read_text()

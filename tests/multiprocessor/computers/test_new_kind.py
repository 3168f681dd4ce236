"""A computer of a new kind is planned for, checked, run, drawn, saved and loaded like any other.

Three kinds that are whole in this file: racks of processors, which see results of their own rack at
once and those of another later; processors with a table of distances; and a ring of cells in
lock-step with wires of one direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from multiprocessor.samples import work
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, ReadError, UnknownName
from phalanx.base.json_fields import Fields
from phalanx.multiprocessor.computers import catalogue
from phalanx.multiprocessor.plans.schedule_file import schedule_to_data

PUMA = px.library.puma560()
Q, V, A = np.linspace(-1.0, 1.0, 18).reshape(3, 6)


@final
@dataclass(frozen=True)
class Racks(mp.Computer):
    """Processors in racks of so many; only results from another rack take their time."""

    kind: ClassVar[str] = "racks of boards"
    row_kind: ClassVar[str] = "board"

    in_a_rack: int = 2
    between: float = 0.0
    name: str = "racks"

    def delay(self, words: int, source: int, destination: int) -> float:
        return self.between * (source // self.in_a_rack != destination // self.in_a_rack)

    @property
    def shares_memory(self) -> bool:
        return True

    def own_data(self) -> dict[str, Any]:
        return {"in_a_rack": self.in_a_rack, "between": self.between}

    @classmethod
    def from_data(cls, common: Mapping[str, Any], data: Fields) -> Self:
        in_a_rack, between = data.count("in_a_rack"), data.number("between")
        return cls(**common, in_a_rack=in_a_rack, between=between)


@final
@dataclass(frozen=True)
class Distances(mp.Computer):
    """The first number of a result is seen at once, each further one takes a time by the table."""

    kind: ClassVar[str] = "distances"

    table: tuple[tuple[float, ...], ...] = ((0.0,),)
    name: str = "distances"

    def delay(self, words: int, source: int, destination: int) -> float:
        return self.table[source][destination] * (words - 1)

    def own_data(self) -> dict[str, Any]:
        return {"table": [list(row) for row in self.table]}

    @classmethod
    def from_data(cls, common: Mapping[str, Any], data: Fields) -> Self:
        return cls(**common, table=tuple(tuple(row) for row in data.items("table")))


@final
@dataclass(frozen=True)
class Ring(mp.Computer):
    """Cells in lock-step, each with a wire to the next one, all in one direction."""

    kind: ClassVar[str] = "one-way ring"
    row_kind: ClassVar[str] = "cell"

    passing: float = 1.0
    forbidden: str = ""
    name: str = "one-way ring"

    @property
    def wires(self) -> int:
        return self.processors

    def route(self, source: int, destination: int) -> tuple[int, ...]:
        steps = (destination - source) % self.processors
        return tuple((source + k) % self.processors for k in range(steps))

    def hop_time(self, words: int) -> float:
        return self.passing * words

    def delay(self, words: int, source: int, destination: int) -> float:
        return len(self.route(source, destination)) * self.hop_time(words)

    @property
    def in_lock_step(self) -> bool:
        return True

    def broken_rules(
        self, graph: mp.TaskGraph, placements: Sequence[mp.Placement]
    ) -> Iterator[mp.Violation]:
        yield from super().broken_rules(graph, placements)
        for p in placements:
            name = graph.tasks[p.task].name
            if name == self.forbidden:
                yield mp.Violation("forbidden", (name,), f"no cell can do {name}.")

    def own_data(self) -> dict[str, Any]:
        return {"passing": self.passing, "forbidden": self.forbidden}

    @classmethod
    def from_data(cls, common: Mapping[str, Any], data: Fields) -> Self:
        return cls(**common, passing=data.number("passing"), forbidden=data.text("forbidden"))


RACKS = Racks(4, between=5.0)
RING = Ring(3, passing=0.5)
# who looks only from the first processor, or only at single numbers, finds nothing that takes time
DISTANCES = Distances(3, table=((0.0, 0.0, 0.0), (7.0, 0.0, 2.0), (4.0, 9.0, 0.0)))


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The kinds of this file are in the catalogue while a test of this file runs."""
    tables = catalogue.KINDS, catalogue.COMPUTERS
    before = [dict(table) for table in tables]
    mp.add_computer(Racks, {"two-racks": lambda p: Racks(p, in_a_rack=-(-p // 2))})
    mp.add_computer(Distances)
    mp.add_computer(Ring)
    yield
    for table, entries in zip(tables, before, strict=True):
        table.clear()
        table.update(entries)


@pytest.fixture(scope="module")
def graph() -> mp.TaskGraph:
    return mp.task_graph(px.inverse_dynamics.recursive, PUMA)


@pytest.mark.parametrize("policy", [mp.layered, mp.highest_level_first, mp.earliest_finish])
@pytest.mark.parametrize("computer", [RACKS, DISTANCES, RING], ids=lambda c: c.name)
def test_it_is_planned_for_checked_and_run(graph, computer, policy):
    plan = mp.schedule(graph, computer, policy)
    assert not plan.violations
    assert plan.makespan >= mp.lower_bound(graph, computer)
    assert plan.execute(Q, V, A) == pytest.approx(
        px.Dynamics(PUMA).inverse_dynamics(Q, V, A), abs=1e-11
    )


@settings(max_examples=20)
@given(work=work(choices=False), seed=st.integers(0, 2**32 - 1))
def test_delays_may_be_any(work, seed):
    """Numbers of a plan are right whatever the table of delays, and so is the verdict on it."""
    table = np.random.default_rng(seed).choice([0.0, 0.5, 3.0], (3, 3)) * (1 - np.eye(3))
    computer = Distances(3, table=tuple(map(tuple, table.tolist())))
    for policy in (mp.layered, mp.highest_level_first, mp.earliest_finish):
        plan = mp.schedule(work.graph, computer, policy)
        assert not plan.violations
        np.testing.assert_allclose(plan.execute(work.inputs), work.outputs, atol=1e-12)


def test_processors_in_lock_step_are_equally_fast():
    with pytest.raises(InvalidInput, match="cells in lock-step are equally fast"):
        Ring(2, [mp.Speed(), mp.Speed.each(2.0)])


def test_plans_make_use_of_the_kind(graph):
    """Racks that agree quickly inside are worth more than a memory that is slow everywhere."""
    everywhere = mp.schedule(graph, mp.SharedMemory(4, synchronization=5.0), mp.earliest_finish)
    nowhere = mp.schedule(graph, mp.SharedMemory(2), mp.earliest_finish)
    plan = mp.schedule(graph, RACKS, mp.earliest_finish)
    assert nowhere.makespan >= plan.makespan
    assert everywhere.makespan > plan.makespan
    sent = mp.schedule(graph, RING, mp.highest_level_first).messages
    assert {hop.link for message in sent for hop in message.hops} == {0, 1, 2}


def test_wrong_plans_show():
    pair = mp.TaskGraph.of("pair", {"a": [], "b": ["a"]})

    def kinds(computer: mp.Computer, *rows: tuple[int, int, float]) -> list[str]:
        placements = tuple(mp.Placement(t, p, start, start + 1.0) for t, p, start in rows)
        return [v.kind for v in mp.Schedule(pair, computer, placements).violations]

    assert kinds(RACKS, (0, 0, 0.0), (1, 1, 1.0)) == []
    assert kinds(RACKS, (0, 0, 0.0), (1, 2, 1.0)) == ["precedence"]
    assert kinds(RACKS, (0, 0, 0.0), (1, 2, 6.0)) == []
    assert kinds(RING, (0, 0, 0.0), (1, 0, 1.0)) == []
    assert kinds(RING, (0, 0, 0.0), (1, 1, 9.0)) == ["message"]
    assert kinds(RING, (0, 0, 0.0), (1, 1, 0.5)) == ["lock-step", "message"]
    assert kinds(replace(RING, forbidden="b"), (0, 0, 0.0), (1, 0, 1.0)) == ["forbidden"]


def test_a_result_that_has_not_come_is_not_read(graph):
    """A plan made as if racks agreed at once computes nothing where they do not."""
    hasty = mp.schedule(graph, replace(RACKS, between=0.0), mp.highest_level_first)
    plan = replace(hasty, computer=RACKS)
    assert plan.violations
    assert np.isnan(plan.execute(Q, V, A)).any()


@pytest.mark.parametrize("computer", [RACKS, DISTANCES, RING], ids=lambda c: c.name)
def test_it_is_saved_and_loaded(graph, computer, tmp_path):
    plan = mp.schedule(graph, computer)
    plan.save(tmp_path / "plan.json")
    assert mp.Schedule.load(tmp_path / "plan.json", graph) == plan


@pytest.mark.parametrize("computer", [RACKS, RING], ids=lambda c: c.name)
def test_its_rows_have_its_own_word(graph, computer, tmp_path):
    plan = mp.schedule(graph, computer)
    plan.gantt(tmp_path / "plan.svg")
    plan.gantt(tmp_path / "plan.html")
    assert f'"row_kind":"{computer.row_kind}"' in (tmp_path / "plan.html").read_text()
    labels = [text.get_text() for text in mp.gantt_figure(plan).axes[0].get_yticklabels()]
    assert labels[: computer.processors] == [
        f"{computer.row_kind} {p}" for p in range(computer.processors)
    ]
    assert labels[computer.processors :] == [f"wire {k}" for k in range(computer.wires)]


def test_it_has_a_name():
    assert mp.computer_by_name("two-racks", 5) == Racks(5, in_a_rack=3)
    with pytest.raises(InvalidInput, match="racks has no single time"):
        mp.computer_by_name("two-racks", 2, 1.0)


def test_threads_and_searches_take_what_they_can(graph):
    program = mp.compile_plan(mp.schedule(graph, replace(RACKS, processors=2)))
    assert (program(Q, V, A) == mp.compile_serial(graph)(Q, V, A)).all()
    with pytest.raises(InvalidInput, match="threads share a memory"):
        mp.compile_plan(mp.schedule(graph, RING))
    for computer in (RACKS, RING):
        with pytest.raises(InvalidInput, match="the exact search"):
            mp.exact(graph, computer)


def test_names_belong_to_one_computer():
    class Others(mp.Lanes):  # type: ignore[misc]
        pass

    with pytest.raises(InvalidInput, match="'lanes' is the kind of Lanes; Others needs one of its"):
        mp.add_computer(Others)

    class Nameless(mp.Computer):
        pass

    with pytest.raises(InvalidInput, match="Nameless has no 'kind'"):
        mp.add_computer(Nameless)
    with pytest.raises(InvalidInput, match="already a computer called 'multicore'"):
        mp.add_computer(Ring, {"multicore": Ring})
    assert catalogue.COMPUTERS["multicore"] is mp.multicore
    mp.add_computer(Ring)  # once more is no mistake


def test_a_kind_that_is_not_in_the_catalogue_is_not_written_nor_read(graph, tmp_path, monkeypatch):
    plan = mp.schedule(graph, RING)
    plan.save(tmp_path / "plan.json")
    monkeypatch.delitem(catalogue.KINDS, "one-way ring")
    with pytest.raises(InvalidInput, match=r"a Ring cannot be written; only .*add_computer\(Ring"):
        schedule_to_data(plan)
    with pytest.raises(ReadError, match="no kind of computer 'one-way ring'"):
        mp.Schedule.load(tmp_path / "plan.json", graph)
    with pytest.raises(UnknownName, match=r"no computer 'three-racks'\. Did you mean 'two-racks'"):
        mp.computer_by_name("three-racks", 3)

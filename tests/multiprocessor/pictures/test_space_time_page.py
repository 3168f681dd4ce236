"""The page of an array at work: complete, by itself, small, and deaf to what stands in names."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from hardware.cells.test_clocked import filter_array
from multiprocessor.pictures.test_gantt_page import EVIL, Reader
from multiprocessor.plans.test_space_time import by_hand, complex_product, one_after_the_other
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.pictures import space_time_page as module
from phalanx.multiprocessor.pictures.space_time_page import space_time_page
from phalanx.multiprocessor.plans.space_time import Site, SiteEvent, SiteWork


def data_of(made: mp.SpaceTime) -> dict:
    return json.loads(Reader(space_time_page(made)).data)


def unrolled(entries: dict) -> set[tuple]:
    """Patterns at the times of their waves: set, whole numbers, start, end."""
    return {
        (number, *row, round(start + begin, 6), round(end + begin, 6))
        for number, begin, pattern in entries["waves"]
        for start, end, *row in zip(*entries["patterns"][pattern], strict=True)
    }


def test_the_data_is_the_array():
    made = complex_product().at_work(5)
    data = data_of(made)
    assert unrolled(data["events"]) == {
        (e.set, e.site, e.work, round(e.start, 6), round(e.end, 6)) for e in made.events
    }
    assert len(data["events"]["patterns"]) == 1  # all sets do the same
    assert data["sites"]["name"] == [site.name for site in made.sites]
    assert [data["groups"][k] for k in data["sites"]["group"]] == ["node 1", "node 1", "node 2"]
    assert (data["unit"], data["span"], data["sets"]) == ("ticks", made.span, 5)


def test_what_waits_is_in_the_data():
    made = one_after_the_other().at_work(3)
    data = data_of(made)
    assert len(data["stores"]["name"]) == len(made.stores) > 0
    assert unrolled(data["waiting"]) == {
        (w.set, w.store, round(w.start, 6), round(w.end, 6)) for w in made.waiting
    }


def test_numbers_come_back_to_seven_digits():
    made = complex_product().at_work(5)
    data = data_of(made)
    assert list(data["numbers"]) == ["0", "1", "2", "3"]
    for k, packed in data["numbers"].items():
        row = np.frombuffer(base64.b64decode(packed), "<f4")
        np.testing.assert_allclose(row, made.numbers[int(k)], rtol=1e-7)
    for work, reads in zip(made.works, data["works"]["reads"], strict=True):
        for quantity, (name, slots, count) in zip(work.reads, reads, strict=True):
            assert data["words"][name] == quantity.name
            found = slots if isinstance(slots, list) else list(range(slots, slots + count))
            assert found == list(quantity.slots)


def test_sets_that_do_something_else_have_a_pattern_of_their_own():
    events = (
        SiteEvent(0, 0, 0, 0.0, 1.0),
        SiteEvent(0, 0, 1, 1.0, 2.0),
        SiteEvent(1, 0, 2, 2.0, 4.0),
    )
    data = data_of(replace(by_hand(), events=events))
    assert [wave[0] for wave in data["events"]["waves"]] == [0, 1, 2]
    assert [wave[2] for wave in data["events"]["waves"]] == [0, 0, 1]
    assert unrolled(data["events"]) == {
        (0, 0, 0, 0.0, 1.0),
        (1, 0, 0, 1.0, 2.0),
        (2, 1, 0, 2.0, 4.0),
    }


def test_a_page_has_room_for_so_many_numbers(monkeypatch):
    made = complex_product().at_work(5)
    monkeypatch.setattr(module, "NUMBERS_KEPT", 2 * len(made.numbers[0]))
    assert list(data_of(made)["numbers"]) == ["0", "1"]


def test_nothing_comes_from_the_network():
    text = space_time_page(complex_product().at_work())
    assert not re.search(r"https?:|//cdn|@import|url\(|<link|<img|\bfetch\(|XMLHttpRequest", text)
    policies = [tag[1]["content"] for tag in Reader(text).tags if "http-equiv" in tag[1]]
    assert policies and policies[0].startswith("default-src 'none'")


def test_texts_stay_texts():
    made = replace(
        by_hand(),
        name=EVIL,
        sites=(Site(EVIL, EVIL), Site("b")),
        works=(SiteWork(EVIL, EVIL, EVIL),),
        facts={EVIL: EVIL},
        broken=(EVIL,),
    )
    read = Reader(space_time_page(made))
    assert [tag for tag, _ in read.tags].count("script") == 2
    assert "img" not in [tag for tag, _ in read.tags]
    assert json.loads(read.data)["works"]["name"] == [EVIL]
    assert "".join(read.text).count(EVIL) == 5  # title twice, a fact's name and value, a rule


def test_broken_rules_are_listed():
    made = complex_product(3.0).at_work()
    text = " ".join(Reader(space_time_page(made)).text)
    assert f"This array loses values: {len(made.broken)} rules are broken" in text
    assert made.broken[0] in text
    assert "loses values" not in space_time_page(complex_product().at_work())


def test_times_are_in_units_people_read():
    plan = complex_product().plan
    quick = replace(plan.computer, unit="s", speed=tuple(
        mp.Operator(one.name, {kind: 1e-6 * time for kind, time in one.times.items()})
        for one in plan.computer.speed
    ))  # fmt: skip
    made = mp.Periodic(mp.schedule(plan.graph, quick), 4e-6).at_work(2)
    data = data_of(made)
    assert (data["unit"], data["span"]) == ("µs", pytest.approx(1e6 * made.span))
    assert "4 µs" in " ".join(Reader(space_time_page(made)).text)


def test_ten_thousand_operators_are_a_small_file(tmp_path):
    """A line of nodes of twenty operators, 20 sets."""
    names = [f"{i}.{k}" for i in range(500) for k in range(20)]
    waits = {name: [names[j - 20]] if j >= 20 else [] for j, name in enumerate(names)}
    graph = mp.TaskGraph.of("line", waits)
    operators = [mp.Operator(f"node {name.replace('.', ' · ')}", {"add": 1.0}) for name in names]
    rows = tuple(mp.Placement(j, j, float(j // 20), j // 20 + 1.0) for j in range(len(names)))
    plan = mp.Schedule(graph, mp.SharedMemory(len(names), operators, "ticks"), rows)
    mp.Periodic(plan, 1.0).space_time(tmp_path / "line.html", sets=20)
    assert (tmp_path / "line.html").stat().st_size < 2e6


@pytest.mark.parametrize("suffix", ["gif", "txt", ""])
def test_other_suffixes_are_refused(suffix, tmp_path):
    path = tmp_path / (f"array.{suffix}" if suffix else "array")
    with pytest.raises(InvalidInput, match=r"must be one of \.svg, \.png, \.pdf, \.html"):
        complex_product().space_time(path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(InvalidInput, match=r"cannot write .*array\.html: No such file"):
        complex_product().space_time(tmp_path / "nowhere" / "array.html")


def test_clocked_cells_have_the_same_page():
    made = filter_array([1.0, 2.0, 4.0]).at_work(x=np.ones(6), zero=np.zeros(6))
    assert len(data_of(made)["stores"]["name"]) == 2
    assert unrolled(data_of(made)["events"]) >= {(0, 0, 0, 0.0, 1.0), (5, 2, 2, 5.0, 6.0)}

"""The page of a plan: complete, by itself, and deaf to what stands in names."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.multiprocessor.pictures.gantt_page import page

VOID = {"meta", "input"}
EVIL = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>{{data}}&\"\u2028"


class Reader(HTMLParser):
    """Tags, whether they close in order, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.data, self.text = [], [], "", []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.tags and self.tags[-1] == ("script", {"type": "application/json", "id": "plan"}):
            self.data += data
        elif self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


def plan_of(read):
    return json.loads(read.data)


def arm(computer):
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    return mp.schedule(graph, computer)


def test_the_data_is_the_plan():
    plan = arm(mp.transputer_mesh(2, 2))
    read = Reader(page(plan))
    data = plan_of(read)
    assert data["unit"] == "µs"
    assert data["tasks"]["name"] == [task.name for task in plan.graph.tasks]
    assert data["tasks"]["before"] == [list(before) for before in plan.graph.predecessors]
    assert [bar[:2] for bar in data["bars"]] == [[p.task, p.processor] for p in plan.placements]
    for bar, p in zip(data["bars"], plan.placements, strict=True):
        assert abs(bar[2] - 1e6 * p.start) < 1e-5 and abs(bar[3] - 1e6 * p.end) < 1e-5
    assert len(data["hops"]) == sum(len(m.hops) for m in plan.messages) > 0
    assert data["critical"] == list(mp.critical_path(plan.graph, plan.computer).tasks)
    assert data["row_kind"] == "processor" and data["wrong"] == []
    text = " ".join(read.text)
    for words in (
        "4 × transputer mesh",
        f"{1e6 * plan.makespan:.4g} µs",
        "speed-up",
        "utilisation",
    ):
        assert words in text


def test_lanes_are_called_lanes():
    assert plan_of(Reader(page(arm(mp.vector_lanes(4)))))["row_kind"] == "lane"


def test_nothing_comes_from_the_network():
    text = page(arm(mp.uniform_tasks(2)))
    assert not re.search(r"https?:|//cdn|@import|url\(|<link|<img|\bfetch\(|XMLHttpRequest", text)
    policies = [tag[1]["content"] for tag in Reader(text).tags if "http-equiv" in tag[1]]
    assert policies and policies[0].startswith("default-src 'none'")


def test_texts_of_tasks_stay_texts():
    task = mp.Task(EVIL, label=EVIL, link=EVIL)
    other = mp.Task("b", label="$&")
    graph = mp.TaskGraph(EVIL, (task, other), ((), (0,)))
    plan = replace(mp.schedule(graph, mp.uniform_tasks(1)), policy=EVIL, placements=())
    text = page(plan)  # with two violations, which name the tasks too
    read = Reader(text)
    assert [tag for tag, _ in read.tags].count("script") == 2
    assert "img" not in [tag for tag, _ in read.tags]
    assert plan_of(read)["tasks"]["name"] == [EVIL, "b"]
    assert plan_of(read)["links"]["groups"] == [EVIL, "no link"]
    assert f"task {EVIL} is never run." in "".join(read.text)


def test_broken_rules_are_listed():
    plan = arm(mp.uniform_tasks(2))
    early = replace(plan, placements=tuple(p._replace(start=0.0, end=1.0) for p in plan.placements))
    read = Reader(page(early))
    text = " ".join(read.text)
    assert f"This plan cannot be carried out: {len(early.violations)} rules are broken" in text
    assert early.violations[0].text in text
    named = {name for violation in early.violations for name in violation.tasks}
    assert plan_of(read)["wrong"] == sorted(plan.graph.number(name) for name in named)
    assert "cannot be carried out" not in page(plan)


def test_a_proof_is_told():
    plan = arm(mp.uniform_tasks(1))
    assert "proven shortest" in page(replace(plan, bound=plan.makespan))
    assert "proven" not in page(replace(plan, bound=plan.makespan - 1))


def test_a_large_plan_is_a_small_file(tmp_path):
    names = [f"t{k}" for k in range(10_000)]
    waits = {name: names[max(0, k - 40) : k : 20] for k, name in enumerate(names)}
    plan = mp.schedule(mp.TaskGraph.of("large", waits), mp.uniform_tasks(16))
    plan.gantt(tmp_path / "plan.html")
    assert (tmp_path / "plan.html").stat().st_size < 2e6

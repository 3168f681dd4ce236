"""Plans come back from files as they were; a file that does not fit says where."""

from __future__ import annotations

import copy
import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput, PhalanxError, ReadError
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.plans.schedule_file import schedule_to_data

GRAPH = mp.TaskGraph.of(
    "diamond",
    {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]},
    [mp.Task("a", Operations(multiply=2, add=1), "omega", "link_1", words=3)],
)
WIRED = mp.MessagePassing(2, topology=mp.Topology.bus(2), start_up=1.0, per_word=0.5)
COMPUTERS = [
    mp.SharedMemory(2, synchronization=0.25),
    mp.SharedMemory(2, (mp.Speed(), mp.Speed.each(0.1, sincos=3.0)), "s", "uneven"),
    mp.uniform_tasks(3),
    WIRED,
    mp.transputer_mesh(2, 2),
    mp.Lanes(4, shuffle=0.5),
    mp.SharedMemory(2, mp.Speed(add=7.0, multiply=5.0, interval=1.0), name="pipelined"),
    mp.SharedMemory(
        1,
        (mp.Operator("unit", {"add": 7.0, "multiply": 5.0}, {"multiply": 1.0}),),
        name="pipelined unit",
    ),
]


def wired_plan():
    """Tasks b and c side by side, so that results have to cross the wire."""
    placements = (
        mp.Placement(0, 0, 0.0, 3.0),
        mp.Placement(1, 0, 3.0, 4.0),
        mp.Placement(2, 1, 5.5, 6.5),
        mp.Placement(3, 1, 6.5, 7.5),
    )
    messages = (
        mp.Message(0, 0, 1, 3, (mp.Hop(0, 3.0, 5.5),)),
        mp.Message(1, 0, 1, 1, (mp.Hop(0, 4.0, 5.5),)),
    )
    return mp.Schedule(GRAPH, WIRED, placements, messages, "by hand", bound=4.0)


@pytest.mark.parametrize("computer", COMPUTERS, ids=lambda c: c.name)
def test_a_plan_comes_back_as_it_was(computer, tmp_path):
    plan = mp.schedule(GRAPH, computer)
    plan.save(tmp_path / "plan.json")
    assert mp.Schedule.load(tmp_path / "plan.json", GRAPH) == plan
    version = 3 if "pipelined" in computer.name else 1  # who knows 1 alone must not read intervals
    assert json.loads((tmp_path / "plan.json").read_text())["version"] == version


def test_messages_policy_and_bound_come_back(tmp_path):
    plan = wired_plan()
    plan.save(str(tmp_path / "plan.json"))
    back = mp.Schedule.load(str(tmp_path / "plan.json"), GRAPH)
    assert back == plan
    assert (back.messages, back.policy, back.bound) == (plan.messages, "by hand", 4.0)


def test_a_loaded_plan_computes(tmp_path):
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.puma560())
    mp.schedule(graph, mp.transputer_mesh(2, 2)).save(tmp_path / "plan.json")
    plan = mp.Schedule.load(tmp_path / "plan.json", graph)
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    tau = px.Dynamics(px.library.puma560()).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(plan.execute(q, v, a), tau, rtol=0, atol=1e-11)


def test_a_wrong_plan_stays_wrong(tmp_path):
    backwards = tuple(mp.Placement(3 - i, 0, float(i), i + 1.0) for i in range(4))
    plan = mp.Schedule(GRAPH, mp.uniform_tasks(1), backwards[:3])
    plan.save(tmp_path / "plan.json")
    back = mp.Schedule.load(tmp_path / "plan.json", GRAPH)
    assert back.violations == plan.violations
    assert {v.kind for v in back.violations} == {"missing", "precedence"}


def test_the_file_is_what_its_documentation_says(tmp_path):
    wired_plan().save(tmp_path / "plan.json")
    text = (tmp_path / "plan.json").read_text()
    data = json.loads(text)
    assert (data["format"], data["version"]) == ("phalanx schedule", 1)
    assert data["graph"]["tasks"][3]["waits_for"] == ["b", "c"]
    assert data["placements"][2] == {"task": "c", "processor": 1, "start": 5.5, "end": 6.5}
    assert data["messages"][1]["hops"] == [{"link": 0, "start": 4.0, "end": 5.5}]
    assert data["measures"]["makespan"] == 7.5
    assert data["measures"]["speedup"] == pytest.approx(6 / 7.5)
    # a row a line: two plans can be compared by any tool
    assert '    {"task": "c", "processor": 1, "start": 5.5, "end": 6.5},\n' in text


def change(path, value):
    """The data of the wired plan with one value replaced; ``...`` takes it away."""
    data = copy.deepcopy(schedule_to_data(wired_plan()))
    *way, last = path
    place = data
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "phalanx recording", "'format' is not 'phalanx schedule'"),
        (("version",), 4, "has version 4; this program reads 1 to 3"),
        (("version",), "1", "'version' is '1'; expected a whole number"),
        (("graph",), ..., "has no 'graph'"),
        (("graph", "tasks"), 4, "'tasks' is 4; expected a list"),
        (("graph", "tasks", 1), "b", "task 2 is 'b'; expected an object"),
        (("graph", "tasks", 1, "name"), "e", "task graph 'diamond' has no task 'e'"),
        (("graph", "tasks", 1, "name"), "c", "task 3: 'c' is there twice"),
        (("graph", "tasks", 3), ..., "is of 3 tasks, task graph 'diamond' has 4; 'd' is not in"),
        (("graph", "tasks", 1, "operations", "add"), 2, "task 'b' has Operations(2 = 2 add)"),
        (("graph", "tasks", 1, "operations", "tangent"), 1, "no operation 'tangent'"),
        (("graph", "tasks", 0, "words"), 4, "task 'a' hands on 4 numbers"),
        (("graph", "tasks", 2, "waits_for"), [], "'c' waits for 'a' in task graph 'diamond', but"),
        (("graph", "tasks", 2, "waits_for"), ["a", "b"], "'c' waits for 'b' in the file, but"),
        (("graph", "tasks", 2, "waits_for"), [0], "expected names of tasks"),
        (("computer", "kind"), "abacus", "no kind of computer 'abacus'"),
        (("computer", "processors"), 0, "0 processors"),
        (("computer", "processors"), 10**9, "'processors' is 1000000000"),
        (("computer", "processors"), 3, "no wire of 'bus' leads to processor 2"),
        (("computer", "speed", "add"), -1.0, "'add' is -1.0; a time must be finite"),
        (("computer", "speed", "add"), None, "'add' is None; expected a number"),
        (("computer", "topology", "links"), [[0, "1"]], "link 1 is [0, '1']"),
        (("computer", "start_up"), True, "'start_up' is True; expected a number"),
        (("placements", 2, "task"), "z", "placement 3: task graph 'diamond' has no task 'z'"),
        (
            ("placements", 2, "processor"),
            2,
            "'processor' is 2; expected a whole number from 0 to 1",
        ),
        (("placements", 2, "processor"), 0.0, "'processor' is 0.0; expected a whole number"),
        (("placements", 2, "start"), 10**400, "expected a finite number"),
        (("placements", 2, "end"), ..., "placement 3 has no 'end'"),
        (("messages", 0, "hops"), [], "'hops' is []; expected at least one hop"),
        (("messages", 0, "hops", 0, "link"), 1, "hop 1: 'link' is 1; expected a whole number from"),
        (("messages", 1, "destination"), 7, "message 2: 'destination' is 7"),
        (("policy",), None, "'policy' is None; expected a text"),
        (("bound",), "4", "'bound' is '4'; expected a number"),
    ],
)
def test_a_file_that_does_not_fit_names_the_offender(path, value, message, tmp_path):
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(change(path, value)))
    with pytest.raises(ReadError) as raised:
        mp.Schedule.load(file, GRAPH)
    assert message in str(raised.value)
    assert "plan.json" in str(raised.value)


def test_messages_need_wires(tmp_path):
    data = schedule_to_data(wired_plan())
    data["computer"] = schedule_to_data(mp.schedule(GRAPH, mp.uniform_tasks(2)))["computer"]
    (tmp_path / "plan.json").write_text(json.dumps(data))
    with pytest.raises(ReadError, match="uniform tasks has no wires"):
        mp.Schedule.load(tmp_path / "plan.json", GRAPH)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (b"[]", "expected an object"),
        (b"{" * 10, "is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b'{"format": "phalanx schedule", "version": ' + b"9" * 5000 + b"}", "is not JSON"),
    ],
    ids=["empty", "list", "open", "deep", "bytes", "digits"],
)
def test_what_is_no_plan_at_all(content, message, tmp_path):
    (tmp_path / "plan.json").write_bytes(content)
    with pytest.raises(ReadError, match=message):
        mp.Schedule.load(tmp_path / "plan.json", GRAPH)


@given(data=st.data())
def test_a_damaged_file_is_an_error_or_a_plan(data, tmp_path_factory):
    """Bytes lost, changed or cut off: never anything but a PhalanxError, or a plan of the graph."""
    whole = json.dumps(schedule_to_data(wired_plan())).encode()
    at = data.draw(st.integers(0, len(whole) - 1))
    harm = data.draw(st.sampled_from(["cut", "lose", "change"]))
    if harm == "cut":
        broken = whole[:at]
    elif harm == "lose":
        broken = whole[:at] + whole[at + data.draw(st.integers(1, 40)) :]
    else:
        broken = whole[:at] + data.draw(st.binary(min_size=1, max_size=3)) + whole[at + 1 :]
    path = tmp_path_factory.mktemp("damaged") / "plan.json"
    path.write_bytes(broken)
    try:
        plan = mp.Schedule.load(path, GRAPH)
    except PhalanxError:
        return
    assert plan.graph is GRAPH
    assert all(0 <= p.processor < plan.computer.processors for p in plan.placements)


@given(
    place=st.sampled_from(["graph", "computer", "policy", "placements", "messages"]),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=6,
    ),
)
def test_anything_in_place_of_a_part_is_an_error_or_that_part(place, value, tmp_path_factory):
    path = tmp_path_factory.mktemp("replaced") / "plan.json"
    path.write_text(json.dumps(change((place,), value)))
    try:
        plan = mp.Schedule.load(path, GRAPH)
    except PhalanxError:
        return
    # no messages, no placements, or another name of the policy: all else is refused
    assert value in ([], plan.policy)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(ReadError, match=r"none\.json: cannot be read: No such file"):
        mp.Schedule.load(tmp_path / "none.json", GRAPH)
    with pytest.raises(InvalidInput, match=r"cannot write .*plan\.json: No such file"):
        wired_plan().save(tmp_path / "nowhere" / "plan.json")

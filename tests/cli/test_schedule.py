from __future__ import annotations

import json
import re

import pytest

import phalanx as px
from distribute.mpi import mpiexec
from phalanx import multiprocessor as mp
from phalanx.cli.processors import processor_counts
from phalanx.multiprocessor.computers.catalogue import COMPUTERS
from phalanx.multiprocessor.policies import POLICIES

MODEL = "double_pendulum"


def table_of(text):
    """Rows of numbers: processors, makespan, at best, speed-up, …"""
    rows = [re.findall(r"[\d.]+", line) for line in text.splitlines() if re.match(r"\d+ ", line)]
    return {int(row[0]): [float(word) for word in row[1:]] for row in rows}


def test_the_table_is_what_the_plans_are(run):
    text = run("schedule", MODEL, "--processors", "1-3,5", "--policy", "layered").stdout
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    rows = table_of(text)
    assert list(rows) == [1, 2, 3, 5]
    for p, (makespan, best, speedup, efficiency, utilisation) in rows.items():
        computer = mp.SharedMemory(p)
        plan = mp.schedule(graph, computer, mp.layered)
        assert makespan == plan.makespan
        assert best == pytest.approx(mp.lower_bound(graph, computer), rel=1e-3)
        assert speedup == pytest.approx(plan.speedup, abs=5e-4)
        assert efficiency == pytest.approx(100 * plan.efficiency, abs=0.05)
        assert utilisation == pytest.approx(100 * plan.utilization, abs=0.05)
    profile = mp.parallelism_profile(graph, mp.SharedMemory(1))
    path = mp.critical_path(graph, mp.SharedMemory(1)).length
    assert f"{len(graph)} tasks, {graph.operations.total} operations" in text
    assert f"Critical path {path:g} operations; at most {profile.widest} tasks in parallel" in text


def test_streamlined_tasks_on_the_source_s_computer(run):
    """Check 17 of the source from the command line: lengths for the six-link arm's tasks."""
    words = ("--tasks", "streamlined", "--customization", "general", "--computer", "uniform-tasks")
    text = run("schedule", "puma560", *words, "--policy", "layered", "--processors", "2,13").stdout
    plan = mp.schedule(
        mp.streamlined_tasks(px.library.puma560(), customization="general"),
        mp.uniform_tasks(2),
        mp.layered,
    )
    assert table_of(text)[2][0] == plan.makespan
    assert "times in levels" in text


def test_gantt_save_and_plot(run, tmp_path):
    files = ("--gantt", "plan_{p}.svg", "--save", "plan.json", "--plot", "speedup.png")
    run("schedule", MODEL, "--processors", "2,4", *files, "--computer", "transputer-mesh")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"plan_2.svg", "plan_4.svg", "plan.json", "speedup.png"}
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    plan = mp.Schedule.load("plan.json", graph)
    assert plan.computer.processors == 4
    assert plan == mp.schedule(graph, mp.transputer_mesh(2, 2))


def test_a_page(run, tmp_path):
    run("schedule", MODEL, "--processors", "2-3", "--gantt", "plan.html", "--color-by", "kind")
    text = (tmp_path / "plan.html").read_text()
    assert "3 × shared memory" in text and '"color_by":"kind"' in text


def test_json_to_a_file_or_to_standard_output(run, tmp_path):
    words = ("schedule", MODEL, "--processors", "1,2", "--json")
    printed = json.loads(run(*words, "-").stdout)
    shown = run(*words, "table.json").stdout
    assert json.loads((tmp_path / "table.json").read_text()) == printed
    assert [row["makespan"] for row in printed["plans"]] == [r[0] for r in table_of(shown).values()]
    assert [row["processors"] for row in printed["plans"]] == [1, 2]
    assert (printed["unit"], printed["policy"]) == ("operations", "highest-level-first")
    assert printed["critical_path"] <= printed["plans"][1]["lower_bound"]


def test_a_proof_is_marked(run):
    pytest.importorskip("ortools")
    text = run("schedule", MODEL, "--processors", "2", "--policy", "exact").stdout
    assert "proven optimal" in text
    makespan, best = table_of(text)[2][:2]
    assert makespan == best


def test_quantities_methods_frames_and_angles(run):
    def tasks(*words):
        text = run("schedule", MODEL, "--processors", "1", *words, "--json", "-").stdout
        return json.loads(text)["tasks"]

    machine = px.library.double_pendulum()
    modified = mp.task_graph(px.inverse_dynamics.modified, machine)
    assert tasks("--method", "modified") == len(modified)
    assert tasks("--quantity", "mass-matrix") == len(
        mp.task_graph(px.mass_matrix.composite_body, machine)
    )
    frame = machine.frame_names[-1]
    assert tasks("--quantity", "jacobian", "--frame", frame) > 0
    assert tasks("--angles-given") == tasks() - 2
    assert tasks("--coarsen", "8") < tasks() / 2


def test_synchronization_takes_time(run):
    def makespan(*words):
        return table_of(run("schedule", MODEL, "--processors", "4", *words).stdout)[4][0]

    assert makespan("--synchronization", "3") > makespan()


def test_how_soon_plans_can_begin_again(run):
    words = ("schedule", MODEL, "--processors", "1,2", "--interval")
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    expected = [mp.initiation_interval(mp.schedule(graph, mp.SharedMemory(p))) for p in (1, 2)]
    text = run(*words).stdout
    assert "interval" in text
    assert [row[-1] for row in table_of(text).values()] == expected
    rows = json.loads(run(*words, "--json", "-").stdout)["plans"]
    assert [row["initiation_interval"] for row in rows] == expected


def test_measured_beside_planned(run):
    text = run("schedule", MODEL, "--processors", "1,2", "--measure").stdout
    assert "measured" in text
    assert all(len(row) == 6 and row[-1] > 0 for row in table_of(text).values())


def test_pipelined_processors(run):
    """Four operations on their way in each: the same path, a fourth of the work."""
    words = ("--processors", "1,2", "--pipelined", "0.25", "--interval")
    rows = table_of(run("schedule", "puma560", *words).stdout)
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.puma560())
    for p, (makespan, best, speedup, *_, interval) in rows.items():
        plan = mp.schedule(graph, mp.SharedMemory(p).pipelined(0.25))
        assert (makespan, interval) == (plan.makespan, mp.initiation_interval(plan))
        assert makespan >= best >= 0.25 * len(graph) / p
        assert speedup == pytest.approx(plan.speedup, abs=5e-4)
        assert speedup > 3 * p


@pytest.mark.parametrize("name", COMPUTERS)
def test_every_computer_has_a_name(name, run):
    assert table_of(run("schedule", MODEL, "--computer", name, "--processors", "2").stdout)


@pytest.mark.parametrize(
    ("text", "counts"),
    [("4", [4]), ("1-3", [1, 2, 3]), ("1,2,4", [1, 2, 4]), ("8, 2-4,3", [8, 2, 3, 4])],
)
def test_numbers_of_processors(text, counts):
    assert processor_counts(text) == counts


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--processors", "0"), "0 processors; there must be at least one"),
        (("--processors", "1-0"), "0 processors"),
        (("--processors", "5-2"), "'5-2' runs backwards"),
        (("--processors", "two"), "'two' is no number"),
        (("--processors", "1,,2"), "'' is no number"),
        (("--processors", "1-70000"), "at most 65,536"),
        (("--processors", "1-5000"), "5,000 plans; ask for at most 1,000"),
        (("--policy", "layerd"), "no policy 'layerd'. Did you mean 'layered'?"),
        (("--computer", "cray"), "no computer 'cray'"),
        (
            ("--pipelined", "0"),
            "the initiation interval of a processor is 0.0; it must be positive",
        ),
        (("--pipelined", "nan"), "the initiation interval of a processor is nan"),
        (("--synchronization", "-1"), "synchronization is -1.0; a time must be"),
        (("--synchronization", "1", "--computer", "transputer-mesh"), "no synchronization time"),
        (("--quantity", "torque"), "no quantity 'torque'"),
        (("--method", "magic"), "has no method 'magic'"),
        (("--tasks", "streamlined", "--quantity", "bias"), "--tasks streamlined cuts"),
        (("--tasks", "streamlined", "--angles-given"), "angles given always"),
        (("--customization", "full"), "--customization is of --tasks streamlined"),
        (("--gantt", "plan.gif"), "its suffix must be one of .html, .png, .svg, .pdf"),
        (("--gantt", "nowhere/plan.svg"), "there is no folder"),
        (("--save", "plan.pickle"), "must be one of .json"),
        (("--plot", "speedup.html"), "must be one of .png"),
        (("--measure", "--computer", "transputer-mesh"), "threads share a memory"),
        (("--interval", "--computer", "vector-lanes"), "in lock-step work on one set at a time"),
    ],
)
def test_mistakes_are_one_line(run, words, message):
    error = run("schedule", MODEL, *words, code=2).stderr.strip()
    assert message in error
    assert len(error.splitlines()) == 1


def test_help_teaches(run):
    text = run("schedule", "--help").stdout
    for policy in POLICIES:
        assert policy in text
    for computer in COMPUTERS:
        assert computer in text
    assert text.count("phalanx schedule ") >= 5


@pytest.mark.xdist_group("mpi")
def test_a_plan_on_ranks(run):
    mpiexec()
    wired = ("--computer", "transputer-mesh", "--processors", "4", "--ranks")
    text = run("schedule", MODEL, *wired, "2").stdout
    graph = mp.task_graph(px.inverse_dynamics.recursive, px.library.double_pendulum())
    plan = mp.highest_level_first(graph, mp.computer_by_name("transputer-mesh", 4))
    hops = sum(len(message.hops) for message in plan.messages)
    assert f"on 2 ranks: {hops} hops of messages a step" in text
    assert "results: bitwise equal to one process" in text
    said = run("schedule", MODEL, *wired, "5", code=2).stderr
    assert "ranks=5 for a plan of 4 processors" in said
    said = run("schedule", MODEL, "--ranks", "2", code=2).stderr
    assert "a shared memory sends no messages" in said

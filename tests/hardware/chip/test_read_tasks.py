"""Task graphs of vector operators, read as programs for chips."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import kogge_stone, sklansky
from phalanx.hardware.chip import NotOnChip, read_tasks
from phalanx.kernel.graph.graph import Element, Graph, Node, Port
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

ARM = px.library.stanford()
FORMS = {
    "linear": {},
    "logarithmic": {"network": sklansky},
    "grounded": {"network": sklansky, "grounded": True},
    "unified": {"network": sklansky, "unified": True},
    "kogge-stone": {"network": kogge_stone},
    "without read-out": {"readout": False},
}


@pytest.mark.parametrize("options", FORMS.values(), ids=FORMS)
def test_the_program_computes_what_the_tasks_compute(options):
    graph = mp.vector_tasks(ARM, matrix_products=False, **options).graph
    rng = np.random.default_rng(0)
    motion = [rng.uniform(-1, 1, (3, 6)) for _ in range(3)]
    for needed_only in (True, False):
        tasks = read_tasks(graph, needed_only=needed_only)
        found = tasks.program.evaluate(tasks.host_values(*motion))
        for row, one in zip(found, zip(*motion, strict=True), strict=True):
            plan = mp.schedule(graph, mp.SharedMemory(1)).execute(*one)
            expected = np.concatenate(
                [np.ravel(x) for x in (plan if isinstance(plan, tuple) else [plan])]
            )
            np.testing.assert_allclose(row, expected, atol=1e-12 * np.abs(expected).max())
        assert (len(tasks.program) == len(graph)) or needed_only


def test_operations_keep_names_and_kinds():
    graph = mp.vector_tasks(ARM, matrix_products=False).graph
    program = read_tasks(graph, needed_only=False).program
    assert {o.name: o.kind for o in program.operations} == {t.name: t.kind for t in graph.tasks}
    assert [o.name for o in program.outputs] == [f"tau[{k}]" for k in range(6)]


def scalar(kind: str, nodes: list[Node], results: list[int], inputs: int = 6) -> TaskGraph:
    """One task of some scalar operations on six inputs."""
    given = [Node("input", element=Element(0, k)) for k in range(inputs)]
    program = Graph(
        "g",
        (Port("x", inputs, 1, (inputs,)),),
        (Port("y", len(results), 1, (len(results),)),),
        (*given, *nodes),
        (tuple(results),),
    )
    own = tuple(range(inputs, inputs + len(nodes)))
    return TaskGraph("g", (Task("work", nodes=own, kind=kind),), ((),), program)


SUM = [Node("add", (k, k + 3)) for k in range(3)]


def test_a_task_of_one_s_own():
    tasks = read_tasks(scalar("VA", SUM, [6, 7, 8]))
    x = np.arange(6.0)
    assert tasks.program.evaluate(tasks.host_values([x])).tolist() == [[3, 5, 7]]


@pytest.mark.parametrize(
    ("graph", "error", "said"),
    [
        (mp.vector_tasks(ARM, sklansky).graph, NotOnChip, "kind 'MM'.*column by column"),
        (mp.streamlined_tasks(ARM), NotOnChip, "kind 'none'"),
        (TaskGraph.of("costs", {"a": []}), InvalidInput, "costs but no program"),
        (scalar("inverse", SUM, [6]), NotOnChip, "'work' is of kind 'inverse'"),
        (scalar("VA", [Node("sqrt", (0,))], [6]), NotOnChip, "'work' has the operation 'sqrt'"),
        (scalar("VA", [Node("sin", (0,))], [6]), NotOnChip, "operation 'sin'"),
        (scalar("VA", [Node("div", (0, 1))], [6]), NotOnChip, "'div'; .*cannot divide"),
        (scalar("VC", SUM, [6, 7, 8]), InvalidInput, "is called VC, cross product, but does"),
        (scalar("MV", SUM, [6, 7, 8]), InvalidInput, "is called MV, matrix times vector"),
        (scalar("VA", [Node("sub", (0, 1))], [6]), InvalidInput, "is called VA"),
        (scalar("VA", SUM, [0, 6]), InvalidInput, r"output y\[0\].*computed by no task"),
    ],
)
def test_what_chips_cannot_do_is_refused_by_name(graph, error, said):
    with pytest.raises(error, match=said):
        read_tasks(graph)

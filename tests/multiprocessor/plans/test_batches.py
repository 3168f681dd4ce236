"""Tasks that do the same are one batch, and a batch gives what its tasks would give one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from multiprocessor.samples import work
from phalanx.multiprocessor.plans.batches import batches, shape_of
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values


@given(work=work(max_operations=20))
def test_batches_give_what_their_tasks_give(work):
    graph = work.graph
    values = given_values(graph.program, [work.inputs], graph.owner)
    one_by_one = dict(values)
    for task in graph.order:
        evaluate_nodes(graph.program, graph.tasks[task].nodes, one_by_one)
    seen = []
    for batch in batches(graph):
        for task in batch.tasks:
            assert set(graph.predecessors[task]) <= set(seen)
            assert shape_of(graph, task) == batch.shape
        numbers = [np.array([values[n] for n in nodes.tolist()]) for nodes in batch.reads]
        for nodes, results in zip(batch.writes, batch.shape.results(numbers), strict=True):
            values |= dict(zip(nodes.tolist(), np.broadcast_to(results, nodes.shape), strict=True))
        seen += batch.tasks
    assert sorted(seen) == list(range(len(graph)))
    for nodes in graph.program.results:
        np.testing.assert_array_equal([values[n] for n in nodes], [one_by_one[n] for n in nodes])

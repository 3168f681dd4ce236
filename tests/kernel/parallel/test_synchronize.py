"""Waits between processors: enough of them under every interleaving, and none too many."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.base.errors import CompileError
from phalanx.kernel.graph.graph import Element, Graph, Node, Port
from phalanx.kernel.parallel.synchronize import Wait, synchronize


def graph(*arguments: tuple[int, ...]) -> Graph:
    """Node 0 is the input; node k adds the two nodes it is given."""
    nodes = (Node("input", element=Element(0, 0)), *(Node("add", args) for args in arguments))
    port = Port("x", 1, 1, (1,))
    return Graph("sums", (port,), (port,), nodes, ((len(nodes) - 1,),))


def too_early(program, scripts, rng, *, dropped=None, held=None):
    """Nodes read before they are computed, when whoever may go on does so in random order.

    ``dropped`` is a wait, (processor, step, wait), nobody keeps; ``held`` a step nobody takes.
    """
    done, over, early = {0}, set(), set()
    position = [0] * len(scripts)
    while True:
        able = []
        for p, script in enumerate(scripts):
            s = position[p]
            if s == len(script.steps) or held == Wait(p, s):
                continue
            waits = [w for w in script.waits[s] if (p, s, w) != dropped]
            if all(w in over for w in waits):
                able.append(p)
        if not able:
            return early, position
        p = rng.choice(able)
        s = position[p]
        for n in scripts[p].steps[s]:
            early |= {a for a in program.nodes[n].args if a not in done}
            done.add(n)
        if s in scripts[p].publishes:
            over.add(Wait(p, s))
        position[p] += 1


@st.composite
def shared_programs(draw):
    count = draw(st.integers(1, 40))
    program = graph(*[tuple(draw(st.integers(0, k)) for _ in "ab") for k in range(count)])
    processors = draw(st.integers(1, 4))
    steps = [[] for _ in range(processors)]
    for n in range(1, count + 1):
        mine = steps[draw(st.integers(0, processors - 1))]
        if mine and draw(st.booleans()) and mine[-1][-1] == n - 1:
            mine[-1].append(n)
        else:
            mine.append([n])
    return program, steps


@given(shared_programs(), st.integers(0, 99))
def test_nothing_is_read_too_early_whatever_the_interleaving(shared, seed):
    program, steps = shared
    scripts = synchronize(program, steps)
    for k in range(10):
        early, position = too_early(program, scripts, random.Random(seed + k))
        assert not early
        assert position == [len(mine) for mine in steps], "processors got stuck"


@given(shared_programs())
def test_no_wait_is_superfluous(shared):
    program, steps = shared
    scripts = synchronize(program, steps)
    for p, script in enumerate(scripts):
        for s, waits in enumerate(script.waits):
            for wait in waits:
                early, _ = too_early(
                    program, scripts, random.Random(0), dropped=(p, s, wait), held=wait
                )
                assert early, f"processor {p} need not wait for {wait} before step {s}"


def test_a_wait_for_a_late_step_covers_the_early_ones():
    program = graph((0, 0), (1, 1), (2, 2), (1, 2))
    scripts = synchronize(program, [[(1,), (2,)], [(3,), (4,)]])
    assert scripts[1].waits == ((Wait(0, 1),), ())
    assert scripts[0].publishes == {1}
    assert scripts[0].shown == {1, 2}


def test_what_another_processor_has_waited_for_is_known():
    program = graph((0, 0), (1, 1), (1, 2))
    scripts = synchronize(program, [[(1,)], [(2,)], [(3,)]])
    assert scripts[2].waits == ((Wait(1, 0),),)


def test_a_processor_reads_its_own_copy():
    program = graph((0, 0), (1, 1), (1, 1))
    scripts = synchronize(program, [[(1,), (2,)], [(1,), (3,)]])
    assert not any(waits for script in scripts for waits in script.waits)


def test_processors_that_wait_for_each_other_are_refused():
    program = graph((0, 0), (0, 0), (1, 1), (2, 2))
    with pytest.raises(CompileError, match=r"in a circle: .*0 for 1"):
        synchronize(program, [[(4,), (1,)], [(3,), (2,)]])


def test_a_node_before_what_it_reads_is_refused():
    program = graph((0, 0), (1, 1))
    with pytest.raises(CompileError, match="node 2 is before node 1"):
        synchronize(program, [[(2,), (1,)]])
    with pytest.raises(CompileError, match="node 2 is before node 1"):
        synchronize(program, [[(2,)]])

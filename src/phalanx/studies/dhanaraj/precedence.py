"""Precedence of subtasks by the source's table.

Reference:
    Dhanaraj, M.Eng. thesis, Memorial University (1990), table 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.tasks.streamlined.subtasks import LinkSubtasks
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

# What a subtask waits for: of its own link, of the link before, of the link after (table 4.1)
_WAITS: dict[tuple[int, ...], tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = {
    (1, 2): ((), (1, 2, 3), ()),
    (3,): ((1, 2), (), ()),
    (4, 5): ((), (6,), ()),
    (6,): ((3, 4, 5), (), ()),
    (7, 8): ((1, 2, 3), (), ()),
    (9,): ((8,), (), ()),
    (10, 11): ((6, 7), (), ()),
    (12, 13, 14): ((), (9, 10, 11), ()),
    (15, 16, 17): ((12, 13, 14), (18, 19), ()),
    (18, 19): ((15, 16, 17), (), ()),
    (20, 21, 22): ((9, 10, 11), (), ()),
    (23, 24, 25): ((18, 19, 20, 21, 22), (), ()),
    (26,): ((23, 24, 25), (), ()),
    (27, 28, 29): ((6, 7), (), ()),
    (30, 31): ((), (), (32,)),
    (32,): ((26, 30, 31), (), ()),
    (33, 34, 35): ((30, 31), (), ()),
    (36, 37, 38): ((26,), (), ()),
    (39, 40): ((), (), (41, 42, 43)),
    (41, 42, 43): ((27, 28, 29, *range(33, 41)), (), ()),
}
WAITS = {t: waits for group, waits in _WAITS.items() for t in group}


def tabulated(
    names: Iterable[str], *, name: str = "table 4.1", first_matrix_given: bool = False
) -> TaskGraph:
    """Subtasks with the source's precedence, as costs without a program.

    What falls away passes its precedence on: who waited for it waits for what it waited for.

    Args:
        names: Of subtasks, ``"312"``.
        name: Of the graph.
        first_matrix_given: Whether subtasks 120 to 122 do without 110, as the source's tables have
            it; they read its result all the same.
    """
    there = {subtask: None for subtask in names}
    for subtask in there:
        if not subtask.isdigit() or int(subtask) < 100 or int(subtask) % 100 not in WAITS:
            raise InvalidInput(f"'{subtask}' is no subtask of a link; expected one like '312'.")
    links = max((int(subtask) // 100 for subtask in there), default=0)

    @cache
    def waits_for(number: int) -> frozenset[str]:
        link, t = divmod(number, 100)
        if first_matrix_given and link == 1 and t in (20, 21, 22):
            return frozenset()
        found: set[str] = set()
        for offset, group in zip((0, -1, 1), WAITS[t], strict=True):
            for before in group:
                if not 1 <= link + offset <= links:
                    continue
                candidate = 100 * (link + offset) + before
                found |= {str(candidate)} if str(candidate) in there else waits_for(candidate)
        return frozenset(found)

    ordered = sorted(there, key=int)
    tasks = []
    for subtask in ordered:
        link, t = divmod(int(subtask), 100)
        tasks.append(LinkSubtasks(link, links, f"link {link}")(t))
    return TaskGraph.of(
        name, {subtask: sorted(waits_for(int(subtask)), key=int) for subtask in ordered}, tasks
    )


def with_tabulated_precedence(graph: TaskGraph, *, first_matrix_given: bool = False) -> TaskGraph:
    """The same tasks and program, waiting for all that the source's table says.

    Data alone ask for less: the sum of a component waits for the products of that component only,
    where the table has it wait for all three.

    Args:
        graph: From :func:`phalanx.multiprocessor.streamlined_tasks`, without tasks that are not
            the source's.
        first_matrix_given: See :func:`tabulated`.
    """
    table = tabulated(graph.numbers, first_matrix_given=first_matrix_given)
    waits = {
        task.name: [table.tasks[p].name for p in before]
        for task, before in zip(table.tasks, table.predecessors, strict=True)
    }
    predecessors = tuple(
        tuple(sorted(graph.number(p) for p in waits[task.name])) for task in graph.tasks
    )
    return replace(graph, predecessors=predecessors)

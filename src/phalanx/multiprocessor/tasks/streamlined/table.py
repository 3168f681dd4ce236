"""The source's tables of subtasks: what each computes, what it waits for, where it is drawn.

A subtask T of link i is called 100 i + T: 312 is the twelfth of link 3. Subtasks 1 to 25 go
outward, 26 to 43 inward; 44 to 46, between joint and motor, are not the source's.

Reference:
    Dhanaraj, M.Eng. thesis, Memorial University (1990), tables 4.1 to 4.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from phalanx.errors import InvalidInput
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

# Not the source's: between joint and motor
BEARINGS, TRANSMISSION, ROTOR = 44, 45, 46

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
_LABELS = {
    (1, 2): "Rᵀ ω of the link before",
    (3,): "ω_z and q' (ω_y, -ω_x)",
    (4, 5): "Rᵀ α of the link before",
    (6,): "α",
    (7,): "products k of ω",
    (8,): "squares of ω",
    (9,): "diagonal of λ",
    (10,): "λ, k + α",
    (11,): "λ, k - α",
    (12, 13, 14): "products of λ p before the joint",
    (15, 16, 17): "a + λ p before the joint",
    (18, 19): "a",
    (20, 21, 22): "products of λ s",
    (23, 24, 25): "a_c = a + λ s",
    (26,): "F = m a_c",
    (27, 28, 29): "N = I α + D k",
    (30, 31): "f' = R f of the link after",
    (32,): "f = F + f'",
    (33, 34, 35): "p × f'",
    (36, 37, 38): "s × F",
    (39, 40): "R n of the link after",
    (41, 42, 43): "n",
    (BEARINGS,): "τ with friction in the bearings",
    (TRANSMISSION,): "τ with friction in the transmission",
    (ROTOR,): "τ with the rotor",
}
# Layers of one link (figs. 4.7, 4.8): six outward, three inward
_OUTWARD = ((1, 2), (3, 4, 5), (6, 7, 8, 12, 13, 14), (9, 10, 11, 15, 16, 17),
            (18, 19, 20, 21, 22), (23, 24, 25))  # fmt: skip
_INWARD = ((*range(26, 32),), (*range(32, 41),), (41, 42, 43), (ROTOR,))

WAITS = {t: waits for group, waits in _WAITS.items() for t in group}
LABELS = {t: label for group, label in _LABELS.items() for t in group}
SUBTASKS = tuple(sorted(WAITS))

# Table 4.2; the first link's row as the schedules of appendix C have it: 119, 127 and 128 fall away
# where the table names 26 and 27
NOT_OF_A_SLIDING_LINK = frozenset((1, 2, 4, 5, 7, 8, 9, 10, 11))
NOT_OF_THE_FIRST_LINK = frozenset((*range(1, 10), *range(11, 20), 27, 28))
NOT_OF_THE_LAST_LINK = frozenset((*range(30, 36), 39, 40))


def layer(link: int, subtask: int, links: int) -> int | None:
    """The layer in which the source draws a subtask, from 1; None where it has no place for it.

    Links overlap by all but two layers. All outward layers come before the first inward one:
    2n + 2 and 2n + 1 of them, together 4n + 3 = the longest chain of subtasks.
    """
    if link == 1 and subtask < 26:
        return 1 if subtask in (10, 20, 21, 22) else 2 if subtask in (23, 24, 25) else None
    for k, group in enumerate(_OUTWARD, start=1):
        if subtask in group:
            return k + 2 * (link - 2)
    for k, group in enumerate(_INWARD, start=1):
        if subtask in group:
            return k + 2 * links + 2 + 2 * (links - link)
    return None


@dataclass(frozen=True)
class LinkSubtasks:
    """Descriptions of the subtasks of one link.

    Attributes:
        link: From 1.
        links: How many there are.
        body: Name of the link's body.
    """

    link: int
    links: int
    body: str

    def __call__(self, subtask: int) -> Task:
        """A subtask without operations yet."""
        return Task(
            str(100 * self.link + subtask),
            label=LABELS[subtask],
            link=self.body,
            layer=layer(self.link, subtask, self.links),
        )

    def all(self, *subtasks: int) -> list[Task]:
        """Several of them."""
        return [self(subtask) for subtask in subtasks]


def general_names(links: int) -> list[str]:
    """The subtasks of a general arm that turns in all its joints: 43 n - 28."""
    return [
        str(100 * link + t)
        for link in range(1, links + 1)
        for t in SUBTASKS
        if not (link == 1 and t in NOT_OF_THE_FIRST_LINK)
        and not (link == links and t in NOT_OF_THE_LAST_LINK)
    ]


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
        graph: From :func:`streamlined_tasks`, without tasks that are not the source's.
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

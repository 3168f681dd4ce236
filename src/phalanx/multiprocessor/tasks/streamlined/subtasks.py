"""Subtasks of a link: names, results, layers in the source.

A subtask T of link i is called 100 i + T: 312 is the twelfth of link 3. Subtasks 1 to 25 go
outward, 26 to 43 inward; 44 to 46, between joint and motor, are not the source's.

Reference:
    Dhanaraj, M.Eng. thesis, Memorial University (1990), tables 4.1 and 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.multiprocessor.tasks.task_graph import Task

# Not the source's: between joint and motor
BEARINGS, TRANSMISSION, ROTOR = 44, 45, 46

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

LABELS = {t: label for group, label in _LABELS.items() for t in group}


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


def by_number(name: str) -> tuple[int, int, str]:
    """To sort names by number, then the letters of parts: 312, 312a, 312b, 313."""
    digits = name.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits), len(name), name

"""What Dhanaraj (1990) prints about tasks: layers, schedules, eliminations, times.

Transcribed from the thesis. The OCR of the tables of appendix C needed no repair: each has all its
levels, and each number that looks wrong is wrong in a way that only the author can have made (a
subtask that exists, in the wrong place).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from phalanx.mechanism import Body, Mechanism
from phalanx.mechanism.library.stanford import COMS, GRAVITY, MASSES, MOMENTS, ROWS
from phalanx.mechanism.read.denavit_hartenberg import from_denavit_hartenberg
from phalanx.studies.dhanaraj.subtasks import (
    NOT_OF_A_SLIDING_LINK,
    NOT_OF_THE_FIRST_LINK,
    NOT_OF_THE_LAST_LINK,
    SUBTASKS,
)

DATA = Path(__file__).parent / "data"
IDLE = "0"

# Table 4.4: components that are not zero, s of links 1 to 6 and p of links 0 to 6
STANFORD_S = ("yz", "z", "z", "yz", "yz", "z")
STANFORD_P = ("", "y", "y", "", "", "", "")
# Table 4.6
STANFORD_ELIMINATED = (
    *(112, 113, 114, 115, 120, 121, 136, 133, 134),
    *(212, 213, 214, 215, 220, 221, 222, 223, 233, 234, 236, 237),
    *(312, 313, 314, 315, 316, 317, 320, 321, 322, 323, 333, 334, 335, 336, 337),
    *(412, 413, 414, 415, 416, 417, 420, 421, 433, 434, 435, 436),
    *(512, 513, 514, 515, 516, 517, 520, 521, 533, 534, 535, 536),
    *(612, 613, 614, 615, 616, 617, 620, 621, 622, 623, 633, 634, 635, 636, 637),
)


def sections(file: str) -> dict[str, list[list[str]]]:
    """Rows of each table of a data file, by its number."""
    tables: dict[str, list[list[str]]] = {}
    for line in (DATA / file).read_text().splitlines():
        if line.startswith("["):
            rows = tables.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            rows.append(line.split())
    return tables


LAYERS = sections("layers.txt")
SCHEDULES = {
    table: [["" if name == IDLE else name for name in row] for row in rows]
    for table, rows in sections("appendix_c.txt").items()
}


def names_in(rows: list[list[str]]) -> list[str]:
    """All subtasks of a table, by number, each once."""
    return sorted({name for row in rows for name in row if name}, key=int)


def names_left(
    eliminated: dict[int, set[int]], links: int = 6, subtasks: tuple[int, ...] = SUBTASKS
) -> list[str]:
    """The subtasks that some eliminations, by link, leave."""
    return [
        str(100 * link + t)
        for link in range(1, links + 1)
        for t in subtasks
        if t not in eliminated.get(link, set())
    ]


def stanford_by_rule(s: tuple[str, ...] = STANFORD_S) -> list[str]:
    """Subtasks of the Stanford arm: table 4.2, and table 4.5 with its groups put right.

    Subtasks 12 to 17 of a link use p of the link before; products and sums lose equally many.
    """
    left_of_six = {0: (), 1: (0, 3), 2: (0, 1, 3, 4), 3: range(6)}
    eliminated: dict[int, set[int]] = {}
    for link in range(1, 7):
        away = eliminated[link] = set()
        for first, vector in ((12, STANFORD_P[link - 1]), (20, s[link - 1])):
            away |= set(range(first, first + 6)) - {first + k for k in left_of_six[len(vector)]}
        for first, vector in ((33, STANFORD_P[link]), (36, s[link - 1])):
            away |= set(range(first, first + 3 - len(vector)))
    eliminated[1] |= NOT_OF_THE_FIRST_LINK
    eliminated[3] |= NOT_OF_A_SLIDING_LINK
    eliminated[6] |= NOT_OF_THE_LAST_LINK
    return names_left(eliminated)


def stanford_without_rotors() -> Mechanism:
    """The arm as the task graph sees it: the source's subtasks know no rotors."""
    numbers = zip(MASSES, COMS, MOMENTS, strict=True)
    links = [
        Body(f"link_{i}", mass, np.array(com), np.diag(moments))
        for i, (mass, com, moments) in enumerate(numbers, start=1)
    ]
    return from_denavit_hartenberg("stanford", ROWS, links, gravity=GRAVITY)

"""Colours of a plan's tasks: by link, or by kind.

Up to eight groups have the colours of Okabe and Ito (2008) and a violet, which people with any kind
of colour vision can tell apart, on white and on black. Beyond eight, links follow a scale from dark
to light, because they have an order; kinds are put together by the operation that most of them are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache

from phalanx.base.errors import UnknownName
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

PALETTE = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#7b3fd4",
)
NO_LINK = "#9aa3ad"
# ends and middle of Matplotlib's viridis, without its darkest part
SCALE = ("#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725")
WAYS = ("link", "kind")


@dataclass(frozen=True)
class Colouring:
    """Groups of tasks and their colours.

    Attributes:
        way: What decides: ``link`` or ``kind``.
        means: What it is, in a word: ``kind``, or what links are in this graph.
        groups: Name of each group, for a legend.
        colours: Of each group, ``#rrggbb``.
        group_of: For each task the number of its group.
    """

    way: str
    means: str
    groups: tuple[str, ...]
    colours: tuple[str, ...]
    group_of: tuple[int, ...]


def colouring(graph: TaskGraph, way: str | None = None) -> Colouring:
    """Colours of all tasks.

    Args:
        graph: The tasks.
        way: ``link`` or ``kind``; by link when not given, if tasks have links.
    """
    if way is None:
        way = "link" if any(task.link for task in graph.tasks) else "kind"
    if way not in WAYS:
        raise UnknownName("a Gantt chart", "colouring", way, WAYS)
    if way == "kind":
        return _grouped(way, way, kinds(graph))
    return _grouped(way, graph.link_means, [task.link for task in graph.tasks])


def kinds(graph: TaskGraph) -> list[str]:
    """Kind of each task, ``2 multiply + add``; its main operation where that makes too many."""
    exact = [operations_in_words(task.operations) for task in graph.tasks]
    if len(set(exact)) <= len(PALETTE):
        return exact
    return [_main_operation(task.operations) for task in graph.tasks]


def _grouped(way: str, means: str, names: Sequence[str]) -> Colouring:
    """Groups in the order in which their first task comes; those without a name at the end."""
    groups = [name for name in dict.fromkeys(names) if name]
    colours = list(PALETTE[: len(groups)] if len(groups) <= len(PALETTE) else _scale(len(groups)))
    if "" in names:
        groups.append("")
        colours.append(NO_LINK)
    number = {name: k for k, name in enumerate(groups)}
    shown = tuple(name or f"no {means}" for name in groups)
    return Colouring(way, means, shown, tuple(colours), tuple(number[name] for name in names))


def _scale(count: int) -> list[str]:
    """So many colours from dark to light."""
    stops = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in SCALE]
    colours = []
    for k in range(count):
        place = k / (count - 1) * (len(stops) - 1)
        low = min(int(place), len(stops) - 2)
        mixed = (
            round(a + (b - a) * (place - low))
            for a, b in zip(stops[low], stops[low + 1], strict=True)
        )
        colours.append("#" + "".join(f"{part:02x}" for part in mixed))
    return colours


@lru_cache(maxsize=4096)  # tasks are many, their kinds few
def operations_in_words(operations: Operations) -> str:
    """Like ``2 multiply + add``, the most frequent first."""
    counts = sorted(asdict(operations).items(), key=lambda item: -item[1])
    words = [kind if count == 1 else f"{count} {kind}" for kind, count in counts if count]
    return " + ".join(words) or "nothing"


@lru_cache(maxsize=4096)
def _main_operation(operations: Operations) -> str:
    counts = asdict(operations)
    most = max(counts, key=lambda kind: counts[kind])
    return f"mostly {most}" if counts[most] else "nothing"

"""Space-time diagram of an array as a self-contained web page: step, play, zoom, search.

Sets that do the same some time later are written once, with the times at which they begin; numbers
are packed, a row a sample, and unpacked when the user points at them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.multiprocessor.pictures.captions import TimeAxis, facts_in_words, time_axis
from phalanx.multiprocessor.pictures.colouring import PALETTE
from phalanx.multiprocessor.pictures.web_page import WebPage, short
from phalanx.multiprocessor.plans.space_time import SiteData, SiteEvent, SpaceTime

NUMBERS_KEPT = 500_000  # in a page; samples beyond have none
_PAGE = WebPage(
    body="space_time.html",
    styles=("space_time.css",),
    scripts=(
        "paper.js",
        "array.js",
        "timeline.js",
        "grid.js",
        "stores.js",
        "layout.js",
        "telling.js",
        "pointer.js",
        "playing.js",
    ),
    wrong="This array loses values",
)

Row = tuple[float, ...]  # of an event: where, what, for how long it occupies a pipeline


def write_space_time_page(space_time: SpaceTime, path: Path) -> None:
    """Write the page (see ``Periodic.space_time``)."""
    path.write_text(space_time_page(space_time), encoding="utf-8")


def space_time_page(space_time: SpaceTime) -> str:
    """The page as text."""
    axis = time_axis(space_time.unit, space_time.span)
    facts = facts_in_words(space_time.facts, axis)
    return _PAGE.text(space_time.name, facts, space_time.broken, _data(space_time, axis))


def _data(space_time: SpaceTime, axis: TimeAxis) -> dict[str, Any]:
    """What the scripts draw; times in the unit of the axis."""
    groups = {name: k for k, name in enumerate(space_time.groups)}
    pipelined = any(event.released is not None for event in space_time.events)

    def scaled(time: float) -> float:
        return short(time / axis.length)

    def place(event: SiteEvent) -> Row:
        """Where and what, and in an array with pipelines for how long the site is occupied."""
        row = event.site, event.work
        return (*row, scaled(event.occupied_until - event.start)) if pipelined else row

    events = ((e.set, place(e), e.start, e.end) for e in space_time.events)
    waiting = ((w.set, (w.store,), w.start, w.end) for w in space_time.waiting)
    words = _Words()
    works = space_time.works

    return {
        "unit": axis.unit,
        "span": scaled(space_time.span),
        "sets": space_time.sets,
        "setNames": space_time.set_names,
        "palette": PALETTE,
        "groups": list(groups),
        "sites": {
            "name": [site.name for site in space_time.sites],
            "group": [groups[site.group or site.name] for site in space_time.sites],
            "position": [site.position for site in space_time.sites],
            "ends": [site.ends for site in space_time.sites],
        },
        "works": {
            "name": [work.name for work in works],
            "label": [work.label for work in works],
            "kind": [words.number(work.kind) for work in works],
            "reads": [_packed(work.reads, words) for work in works],
            "writes": [_packed(work.writes, words) for work in works],
        },
        "events": _waves(events, scaled),
        "stores": {
            "name": [store.name for store in space_time.stores],
            "site": [store.site for store in space_time.stores],
            "words": [store.words for store in space_time.stores],
            "depth": [store.depth for store in space_time.stores],
        },
        "waiting": _waves(waiting, scaled),
        "links": space_time.links,
        "numbers": _numbers(space_time.numbers),
        "words": words.all,
    }


class _Words:
    """Texts that come often, each written once."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, word: str) -> int:
        if word not in self._numbers:
            self._numbers[word] = len(self.all)
            self.all.append(word)
        return self._numbers[word]


def _packed(quantities: Sequence[SiteData], words: _Words) -> list[list[Any]]:
    """For each quantity its name's number, and its slots: first and how many, or all of them."""
    rows: list[list[Any]] = []
    for name, slots in quantities:
        follow = all(b == a + 1 for a, b in pairwise(slots))
        rows.append([words.number(name), slots[0] if follow else slots, len(slots)])
    return rows


def _waves(
    entries: Iterable[tuple[int, Row, float, float]], scaled: Callable[[float], float]
) -> dict[str, Any]:
    """What is done in the first sample, and when it is done again in the others.

    Returns:
        ``patterns``: columns of whole numbers, then starts and ends from the beginning of a sample;
        ``waves``: for each sample its number, when it begins, and its pattern.
    """
    by_set: dict[int, list[tuple[Row, float, float]]] = {}
    for number, row, start, end in entries:
        by_set.setdefault(number, []).append((row, scaled(start), scaled(end)))
    known: dict[tuple[Any, ...], int] = {}
    waves = []
    for number, rows in sorted(by_set.items()):
        begin = min(start for _, start, _ in rows)
        pattern = tuple(
            sorted((start - begin, end - begin, *row) for row, start, end in rows),
        )
        key = tuple(
            (short(round(start, 9)), short(round(end, 9)), *row) for start, end, *row in pattern
        )
        waves.append([number, begin, known.setdefault(key, len(known))])
    return {
        "patterns": [[list(column) for column in zip(*key, strict=True)] for key in known],
        "waves": waves,
    }


def _numbers(rows: Mapping[int, np.ndarray[Any, np.dtype[np.float64]]]) -> dict[int, str]:
    """Rows of numbers as text, as many as a page can carry; seven digits of each are enough."""
    kept, room = {}, NUMBERS_KEPT
    for k, row in rows.items():
        room -= len(row)
        if room < 0:
            break
        with np.errstate(over="ignore"):
            kept[k] = b64encode(row.astype("<f4").tobytes()).decode("ascii")
    return kept

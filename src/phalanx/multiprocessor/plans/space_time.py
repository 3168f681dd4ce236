"""Space-time data of an array: sites, their work on each sample, and values that wait.

This is all that pictures of arrays know. It is made from repeated plans and from clocked cells, and
can be made from anything else that has places, moments and samples that pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from os import PathLike
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.multiprocessor.plans.drawings import draw_space_time


class Site(NamedTuple):
    """A place where work is done: a processor, an operator, a cell, a wire.

    Attributes:
        name: Its own name in the array.
        group: The node that it is a part of; empty when it is one by itself.
        position: Where it is drawn, to the right and down; sites of one position share a box.
        ends: Of a road, the sites that it leads from and to.
    """

    name: str
    group: str = ""
    position: tuple[float, float] | None = None
    ends: tuple[int, int] | None = None


class SiteData(NamedTuple):
    """Numbers that work reads or writes.

    Attributes:
        name: Where they come from, or what they are.
        slots: Which numbers of a sample they are, as places in a row of :attr:`SpaceTime.numbers`.
    """

    name: str
    slots: tuple[int, ...]


class SiteWork(NamedTuple):
    """Work at a site, the same in every sample.

    Attributes:
        name: Its own name, short enough for a small box.
        label: Display name: what it computes.
        kind: What sort of work it is.
        reads: What it reads.
        writes: What it hands on.
    """

    name: str
    label: str = ""
    kind: str = ""
    reads: tuple[SiteData, ...] = ()
    writes: tuple[SiteData, ...] = ()


class SiteEvent(NamedTuple):
    """Work of a sample, at a site, from a moment to another.

    Attributes:
        site: Where.
        work: What.
        set: For which sample.
        start: When it begins.
        end: When its results are there.
        released: When the site can begin other work, before the end in a pipeline; None at the end.
    """

    site: int
    work: int
    set: int
    start: float
    end: float
    released: float | None = None

    @property
    def occupied_until(self) -> float:
        """When the site can begin other work."""
        return self.end if self.released is None else self.released


class SiteStore(NamedTuple):
    """Places for values that wait.

    Attributes:
        name: Whose values they are.
        site: Where they wait.
        words: How many numbers a place holds.
        depth: How many places there are.
    """

    name: str
    site: int
    words: int
    depth: int


class Waiting(NamedTuple):
    """Values of a sample in a store, from a moment to another."""

    store: int
    set: int
    start: float
    end: float


@short_repr
@dataclass(frozen=True)
class SpaceTime:
    """An array at work.

    Attributes:
        name: Display name: what is computed, on what.
        unit: Of times.
        sites: Where work is done.
        works: What is done.
        events: Who does what for which sample, and when.
        stores: Where values wait.
        waiting: Which values wait there, and when.
        links: Pairs of sites, from who hands on to who reads.
        numbers: For some samples all their numbers, a row each; quantities name places in it.
        facts: What else is to be said, by name: texts, or times in the unit.
        broken: Rules that are broken, in words.
        set_names: Display names of the samples; none for their numbers.
    """

    name: str
    unit: str
    sites: tuple[Site, ...]
    works: tuple[SiteWork, ...]
    events: tuple[SiteEvent, ...]
    stores: tuple[SiteStore, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    numbers: Mapping[int, NDArray[np.float64]] = field(default_factory=dict, hash=False)
    facts: Mapping[str, str | float] = field(default_factory=dict, hash=False)
    broken: tuple[str, ...] = ()
    set_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that events and what waits are at places that exist, and end after they begin."""
        twice = [name for name, n in Counter(site.name for site in self.sites).items() if n > 1]
        if twice:
            raise InvalidInput(f"'{self.name}' has two sites called '{twice[0]}'.")
        for event in self.events:
            here = 0 <= event.site < len(self.sites) and 0 <= event.work < len(self.works)
            in_order = event.start <= event.occupied_until <= event.end
            if not here or event.set < 0 or not in_order:
                raise InvalidInput(
                    f"'{self.name}' has {event}; there are {len(self.sites)} sites and "
                    f"{len(self.works)} works, numbered from 0, and nothing ends before it begins."
                )
        for stay in self.waiting:
            if not 0 <= stay.store < len(self.stores) or not stay.start <= stay.end:
                raise InvalidInput(
                    f"'{self.name}' has {stay}; there are {len(self.stores)} stores, numbered from "
                    "0, and nothing ends before it begins."
                )

    @cached_property
    def span(self) -> float:
        """When the last work ends."""
        return max((event.end for event in self.events), default=0.0)

    @cached_property
    def sets(self) -> int:
        """How many samples pass."""
        return 1 + max((event.set for event in self.events), default=-1)

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """Sites by the node they are a part of, in order; those of none are one by themselves."""
        found: dict[str, list[int]] = {}
        for k, site in enumerate(self.sites):
            found.setdefault(site.group or site.name, []).append(k)
        return {name: tuple(members) for name, members in found.items()}

    def draw(self, path: str | PathLike[str]) -> None:
        """Draw it: ``.html`` is a page, ``.svg``, ``.png`` and ``.pdf`` are pictures.

        Raises:
            InvalidInput: When the suffix is another, or nothing can be written there.
        """
        draw_space_time(lambda: self, path)

    def fill(self, store: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """How full a store is over time, or how many numbers wait in all of them together.

        Args:
            store: Its number; None for all, counted in numbers.

        Returns:
            Moments at which it changes, and how much is there from each moment on.
        """
        changes: Counter[float] = Counter()
        for stay in self.waiting:
            if store is None or stay.store == store:
                amount = 1 if store is not None else self.stores[stay.store].words
                changes[stay.start] += amount
                changes[stay.end] -= amount
        moments = sorted(changes)
        amounts = list(accumulate(changes[moment] for moment in moments))
        return np.array(moments, dtype=np.float64), np.array(amounts, dtype=np.int64)

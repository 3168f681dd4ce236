"""Parallel prefix scans: running products of an associative operator in few steps.

The prefixes of x_0, x_1, … are x_0, x_0 x_1, x_0 x_1 x_2, …. One after another they take a step
each. Because the operator is associative, segments of neighbours may be joined in any order, many
at the same time, and a *network* says in which: level by level, pairs of places (left, right), each
meaning ``x[right] = x[left] x[right]``, all of a level at once. Any operator will do that is
associative: sums, products of matrices, maps x → a x + b of first-order recurrences, moving frames.

Policy: a network is a value and knows nothing of what it joins; its levels are checked whenever
they are made, so that a shape of one's own cannot give wrong prefixes silently.

Reference:
    Lathrop, Parallelism in Manipulator Dynamics, MIT AI-TR-754 (1983), ch. IV, has `sklansky`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from phalanx.base.errors import InvalidInput

T = TypeVar("T")
Level = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class PrefixNetwork:
    """In which order prefixes are joined, for any number of items.

    Attributes:
        name: Display name.
        shape: The levels for so many items; each a sequence of pairs (left, right).
    """

    name: str
    shape: Callable[[int], Sequence[Sequence[tuple[int, int]]]]

    def levels(self, count: int) -> tuple[Level, ...]:
        """The levels for ``count`` items, checked.

        Raises:
            InvalidInput: They do not give the prefixes of all items.
        """
        if count < 1:
            raise InvalidInput(f"prefixes of {count} items; at least one is needed.")
        levels = tuple(tuple((a, b) for a, b in level) for level in self.shape(count))
        _check(self.name, levels, count)
        return levels

    def depth(self, count: int) -> int:
        """How many levels there are."""
        return len(self.levels(count))

    def nodes(self, count: int) -> int:
        """How many pairs are joined in all."""
        return sum(len(level) for level in self.levels(count))

    def width(self, count: int) -> int:
        """The most pairs of a level."""
        return max((len(level) for level in self.levels(count)), default=0)

    def fan_out(self, count: int) -> int:
        """The most pairs of a level that read the same left item."""
        levels = self.levels(count)
        return max((max(Counter(a for a, _ in level).values()) for level in levels), default=0)


def from_levels(name: str, levels: Sequence[Sequence[tuple[int, int]]]) -> PrefixNetwork:
    """A network of one's own, for the one number of items that its levels are made for."""
    return PrefixNetwork(name, lambda count: levels)


def prefix(network: PrefixNetwork, items: Sequence[T], combine: Callable[[T, T], T]) -> list[T]:
    """Prefixes of all items: x_0, x_0 x_1, x_0 x_1 x_2, ….

    Args:
        network: In which order to combine.
        items: At least one.
        combine: Any associative operator; what stands left comes first.
    """
    return prefix_by_level(network, items, lambda _, x, y: combine(x, y))


def suffix(network: PrefixNetwork, items: Sequence[T], combine: Callable[[T, T], T]) -> list[T]:
    """Suffixes of all items: …, x_{n-2} x_{n-1}, x_{n-1}; the mirror image of :func:`prefix`."""
    return suffix_by_level(network, items, lambda _, x, y: combine(x, y))


def prefix_by_level(
    network: PrefixNetwork, items: Sequence[T], combine: Callable[[int, T, T], T]
) -> list[T]:
    """Prefixes by an operator that gets the level, counted from 1."""
    values = list(items)
    for k, level in enumerate(network.levels(len(values)), start=1):
        joined = [combine(k, values[a], values[b]) for a, b in level]
        for (_, b), value in zip(level, joined, strict=True):
            values[b] = value
    return values


def suffix_by_level(
    network: PrefixNetwork, items: Sequence[T], combine: Callable[[int, T, T], T]
) -> list[T]:
    """Suffixes by an operator that gets the level, counted from 1."""
    mirrored = prefix_by_level(network, items[::-1], lambda k, x, y: combine(k, y, x))
    return mirrored[::-1]


def _sklansky(count: int) -> list[list[tuple[int, int]]]:
    levels = []
    half = 1
    while half < count:
        right = [i for i in range(count) if i & half]
        levels.append([((i & -half) - 1, i) for i in right])
        half *= 2
    return levels


def _kogge_stone(count: int) -> list[list[tuple[int, int]]]:
    levels = []
    step = 1
    while step < count:
        levels.append([(i - step, i) for i in range(step, count)])
        step *= 2
    return levels


def _brent_kung(count: int) -> list[list[tuple[int, int]]]:
    up = []
    step = 1
    while step < count:
        up.append([(i - step, i) for i in range(2 * step - 1, count, 2 * step)])
        step *= 2
    down = []
    while step > 1:
        step //= 2
        down.append([(i - step, i) for i in range(3 * step - 1, count, 2 * step)])
    return [level for level in up + down if level]


def _serial(count: int) -> list[list[tuple[int, int]]]:
    return [[(i - 1, i)] for i in range(1, count)]


sklansky = PrefixNetwork("Sklansky", _sklansky)
"""Fewest levels, ⌈log₂ n⌉, with at most n/2 pairs each; one item may be read by n/2 pairs."""

kogge_stone = PrefixNetwork("Kogge-Stone", _kogge_stone)
"""Fewest levels, every item read by one pair of a level; n pairs a level, so twice the work."""

brent_kung = PrefixNetwork("Brent-Kung", _brent_kung)
"""Least work, below 2 n pairs, in about twice the levels."""

serial = PrefixNetwork("serial", _serial)
"""One after another."""


def _check(name: str, levels: Sequence[Level], count: int) -> None:
    """InvalidInput unless the levels give the prefixes of so many items."""
    first = list(range(count))  # where the segment that ends at each place begins
    for k, level in enumerate(levels, start=1):
        where = f"level {k} of network '{name}' for {count} items"
        twice = [b for b, times in Counter(b for _, b in level).items() if times > 1]
        if twice:
            raise InvalidInput(f"{where} writes item {twice[0]} twice.")
        for a, b in level:
            if not 0 <= a < b < count:
                raise InvalidInput(f"{where} joins {a} and {b}; expected 0 <= left < right < n.")
            if first[b] != a + 1:
                raise InvalidInput(
                    f"{where} joins {a} to {b}, which begins at {first[b]}: only what begins at "
                    f"{a + 1} follows {a}."
                )
        begins = {b: first[a] for a, b in level}
        for b, beginning in begins.items():
            first[b] = beginning
    missing = [i for i in range(count) if first[i] != 0]
    if missing:
        raise InvalidInput(
            f"network '{name}' leaves item {missing[0]} of {count} without its prefix: it has only "
            f"items {first[missing[0]]} to {missing[0]}."
        )

"""Domain decomposition of a chain or tree: bodies that hang together to a process.

Policy: work is balanced, not the number of bodies. A step of an iteration costs by the square of
the number of constraint forces, 6 less the freedoms of a joint, so that a process has more ball
joints than hinges. A chain is cut into runs of consecutive bodies; all blocks of a run have its
largest size. A tree is cut at the joints that leave the smallest load to the busiest process: where
there are as many processes as branches of like size, each has a branch.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.messages import (
    Array,
    Message,
    NeighbourExchange,
    Receive,
    Send,
)
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure

Joints = NDArray[np.intp]


@final
@dataclass(frozen=True, eq=False)
class Neighbour:
    """Another process whose joints meet those of this one.

    Attributes:
        rank: Of the process.
        ours: Joints of this process that it needs (halo), rising.
        theirs: Joints of it that this process needs, rising.
    """

    rank: int
    ours: Joints
    theirs: Joints


@final
@dataclass(frozen=True, eq=False)
class Segment:
    """The bodies of one process, each with the joint that carries it.

    Attributes:
        rank: Of the process.
        joints: Which they are, rising.
        neighbours: Processes that have joints next to these, by rank.
        inboard: Process with the joint inboard of these; None where they begin at the root.
        outboard: Processes of which this one is inboard.
        collector: Process that recorded rows go to, on their way to the first; None at the first.
        in_row: Whether all processes are in a row, and talk to the ranks before and after only.
    """

    rank: int
    joints: Joints
    neighbours: tuple[Neighbour, ...]
    inboard: int | None
    outboard: tuple[int, ...]
    collector: int | None
    in_row: bool

    def __len__(self) -> int:
        """How many bodies it has."""
        return len(self.joints)

    @property
    def spans(self) -> str:
        """Its bodies, counted from 1: ``1-3, 7``."""
        ends = np.flatnonzero(np.diff(self.joints) != 1) + 1
        runs = np.split(self.joints + 1, ends)
        return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)

    @property
    def reach(self) -> Joints:
        """Its joints together with those that they meet, rising."""
        return np.sort(np.concatenate([self.joints, *(one.theirs for one in self.neighbours)]))

    def exchanged(
        self, ours: Callable[[int], Array], size: Callable[[int], int]
    ) -> Generator[Message, Any, dict[int, Array]]:
        """Exchange numbers of joints with the neighbours; return those of their joints.

        Args:
            ours: Numbers of a joint of this process.
            size: How many numbers a joint has.
        """
        packed = {
            one.rank: np.concatenate([ours(j) for j in one.ours.tolist()])
            for one in self.neighbours
        }
        expects = {one.rank: sum(size(j) for j in one.theirs.tolist()) for one in self.neighbours}
        arrived = yield from self.passed(packed, expects)
        found: dict[int, Array] = {}
        for one in self.neighbours:
            at = 0
            for j in one.theirs.tolist():
                found[j] = arrived[one.rank][at : at + size(j)]
                at += size(j)
        return found

    def passed(
        self, sent: Mapping[int, Array], expects: Mapping[int, int]
    ) -> Generator[Message, Any, dict[int, Array]]:
        """Send arrays to other processes, and wait for those that they send; both by rank."""
        none = np.empty(0)
        if self.in_row:
            if not sent and not expects:
                return {}
            before, after = self.rank - 1, self.rank + 1
            counts = expects.get(before, 0), expects.get(after, 0)
            pair = yield NeighbourExchange(sent.get(before, none), sent.get(after, none), counts)
            return dict(zip((before, after), pair, strict=True))
        for rank, values in sent.items():
            if values.size:
                yield Send(rank, values)
        found = {}
        for rank, count in expects.items():
            found[rank] = (yield Receive(rank, count)) if count else none
        return found


def step_cost(size: int) -> int:
    """Operations of a joint with so many constraint forces in a step of an iteration, about.

    Four products of blocks with vectors, and a few vectors.
    """
    return 8 * size**2 + 16 * size


def segments_of(structure: Structure, processes: int) -> tuple[Segment, ...]:
    """Return a segment for each process.

    Raises:
        InvalidInput: There are more processes than bodies, or none.
    """
    bodies = len(structure)
    if processes < 1:
        raise InvalidInput(f"a machine on {processes} processes; expected at least one.")
    if processes > bodies:
        raise InvalidInput(
            f"a machine of {bodies} bodies cannot be divided among {processes} processes (or "
            f"ranks): every one needs a body of its own. Take {bodies} at most."
        )
    sizes = structure.sizes.tolist()
    if structure.is_chain:
        ends = [0, *runs(sizes, processes)]
        owner = np.repeat(np.arange(processes), np.diff(ends))
    else:
        owner = branches(structure.parent.tolist(), [step_cost(size) for size in sizes], processes)
    return _segments(structure, owner, structure.is_chain)


def runs(sizes: Sequence[int], processes: int) -> list[int]:
    """Ends of runs of consecutive joints, the busiest of which has the least work."""
    count = len(sizes)

    def furthest(first: int, left: int, most: int) -> int:
        """Where a run from ``first`` ends that has at most so much work, and leaves enough."""
        stop, largest = first, 0
        while stop < count - left:
            largest = max(largest, sizes[stop])
            if (stop + 1 - first) * step_cost(largest) > most:
                break
            stop += 1
        return stop

    def fits(most: int, first: int = 0, ranks: int = processes) -> bool:
        for left in reversed(range(ranks)):
            first = furthest(first, left, most)
        return first == count

    least, enough = step_cost(max(sizes)), count * step_cost(max(sizes))
    most = least + bisect_left(range(least, enough + 1), True, key=fits)
    ends, first = [], 0
    costs = np.concatenate([[0], np.cumsum([step_cost(size) for size in sizes])])
    for left in reversed(range(processes)):
        # as much as is due to it of what is left, if the others can then do the rest
        due = costs[first] + (costs[-1] - costs[first]) / (left + 1)
        stop = int(np.clip(np.searchsorted(costs, due), first + 1, furthest(first, left, most)))
        while left and not fits(most, stop, left):
            stop += 1
        ends.append(stop if left else count)
        first = stop
    return ends


def branches(parent: Sequence[int], costs: Sequence[int], processes: int) -> Joints:
    """Owner of each joint of a tree: parts that hang together, the busiest with the least work.

    Of all joints on a body, those beyond which most work is are cut first (Kundu and Misra, A
    linear tree partitioning algorithm, 1977).
    """
    count = len(parent)
    children: list[list[int]] = [[] for _ in range(count + 1)]  # the last are those on the root
    for joint, on in enumerate(parent):
        children[on].append(joint)

    def cuts(most: int) -> list[int]:
        beyond, found = [0] * (count + 1), list[int]()
        for joint in [*reversed(range(count)), count]:
            own = costs[joint] if joint < count else 0
            kept = sorted(children[joint], key=lambda child: beyond[child])
            while own + sum(beyond[child] for child in kept) > most:
                found.append(kept.pop())
            beyond[joint] = own + sum(beyond[child] for child in kept)
        return found

    def parts(found: Sequence[int]) -> Joints:
        """The part of each joint, numbered by their first joints."""
        begins, of = set(found), np.zeros(count, np.intp)
        number: dict[int, int] = {}
        head = list(range(count))
        for joint, on in enumerate(parent):
            head[joint] = joint if joint in begins else (head[on] if on >= 0 else -1)
            of[joint] = number.setdefault(head[joint], len(number))
        return of

    least, enough = max(costs), sum(costs)
    span = range(least, enough + 1)
    most = span[bisect_left(span, True, key=lambda m: parts(cuts(m)).max() < processes)]
    found = cuts(most)
    while (of := parts(found)).max() + 1 < processes:
        # the heaviest part that has a joint to cut at, where it comes nearest to two halves
        loads = np.bincount(of, costs)
        heavy = max((k for k in range(len(loads)) if (of == k).sum() > 1), key=lambda k: loads[k])
        own = np.flatnonzero(of == heavy)
        beyond = dict.fromkeys(own.tolist(), 0)
        for joint in reversed(own.tolist()):
            beyond[joint] += costs[joint]
            if parent[joint] in beyond:
                beyond[parent[joint]] += beyond[joint]
        inner = [j for j in own.tolist() if j not in found and beyond[j] < loads[heavy]]
        found.append(min(inner, key=lambda j: abs(loads[heavy] - 2 * beyond[j])))
    return of


def _segments(structure: Structure, owner: Joints, in_row: bool) -> tuple[Segment, ...]:
    """Segments from the process of each joint; every segment begins at one body, or at the root."""
    processes, parent = int(owner.max()) + 1, structure.parent
    inner = np.flatnonzero(parent >= 0)
    pairs = np.concatenate([np.column_stack([inner, parent[inner]]), structure.siblings])
    apart = pairs[owner[pairs[:, 0]] != owner[pairs[:, 1]]]
    needs: dict[tuple[int, int], set[int]] = {}
    for one, other in np.concatenate([apart, apart[:, ::-1]]).tolist():
        needs.setdefault((int(owner[one]), int(owner[other])), set()).add(other)
    inboard: list[int | None] = [None] * processes
    for joint in inner.tolist():
        if owner[joint] != owner[parent[joint]]:
            inboard[int(owner[joint])] = int(owner[parent[joint]])

    def rising(joints: set[int]) -> Joints:
        return np.array(sorted(joints), np.intp)

    return tuple(
        Segment(
            rank,
            np.flatnonzero(owner == rank),
            tuple(
                Neighbour(other, rising(needs[other, rank]), rising(needs[rank, other]))
                for other in range(processes)
                if (rank, other) in needs
            ),
            inboard[rank],
            tuple(other for other in range(processes) if inboard[other] == rank),
            None if rank == 0 else (0 if inboard[rank] is None else inboard[rank]),
            in_row,
        )
        for rank in range(processes)
    )

"""Closed loops of a machine as assembled, and the independent ones of their equations.

Model files have six digits. A planar linkage closed by a hinge in space has equations that hold by
themselves in exact numbers and miss by 1e-8 m in a file's, in every posture. A fitter presses the
pin of such a machine in. So does this module: where no posture closes, the second frame of a loop
is moved by what is missing in the nearest posture, if rounding explains it, and a notice says so.
What more is missing is an error: no machine is ever run with its loops open.

Axes that are parallel but for rounding make a further difference: equations that follow from others
then miss a little in every other posture. They are left out, as they are in exact numbers, and may
be open by as much as rounding explains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.equations.loops.assembly.assembly_warning import warn_of_offsets
from phalanx.equations.loops.assembly.frame_offset import FrameOffset, closing_offset
from phalanx.equations.loops.assembly.loop_sizes import LoopSize, loop_sizes
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.equations.loops.assembly.rank import Rank, length_scales, rank_of
from phalanx.equations.loops.assembly.rounding import (
    OPEN_BY_ROUNDING,
    ROUNDING_OF_FILES,
    allowed_openings,
    part_of_lengths,
)
from phalanx.equations.loops.assembly.search import CLOSED, Attempt, Search
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.loops.closure.mismatch import owners_of_mismatch
from phalanx.equations.loops.closure.opening import Slack
from phalanx.equations.spatial import Transform
from phalanx.equations.tree.build import model_as_written
from phalanx.equations.tree.model import Model
from phalanx.mechanism import JointCoupling, Mechanism
from phalanx.mechanism.pose import Array

# [m or rad, in a machine of a metre]: less needs no offset, and stays below CLOSED in all postures
_EXACT = 1e-13
# singular values that are zero but for double precision
_ZERO = 1e-13
# of a motion along which redundant equations are tried out [rad, or of a loop's size]
_MOTIONS = (0.05, 0.01, 0.002)
# how much more than their singular value they may open, for what is not linear in the motion
_MARGIN, _LEAST = 100.0, 1e-9


@dataclass(frozen=True, eq=False)
class ClosedLoops:
    """The loops of a machine, closed.

    Attributes:
        mechanism: The machine as it is written.
        model: Its node tree, loops closed as assembled.
        first: The closed posture nearest to all joints at zero.
        moved: Loops whose second frame was moved, and how.
        sizes: Of its loops.
    """

    mechanism: Mechanism
    model: Model
    first: Attempt
    moved: dict[str, FrameOffset]
    sizes: dict[str, LoopSize]

    @property
    def frame_offsets(self) -> dict[str, Transform]:
        """What moved frames are moved by, over symbols."""
        return {name: offset.transform for name, offset in self.moved.items()}

    @property
    def tolerance(self) -> float:
        """How far a loop may miss for it to be closed as assembled [m]; as for angles [rad]."""
        return part_of_lengths(self.sizes, ROUNDING_OF_FILES)

    @cached_property
    def rank(self) -> Rank:
        """The equations that count.

        Raises:
            InvalidModel: That cannot be decided.
        """
        derivative = derivative_function(self.model)
        found = list(self.plain.samples(self.first))
        closed = [x for x in found if x.closes]
        if len(closed) == 1:
            # where equations hold by rounding only, no other posture closes to the last digit
            allowed = allowed_openings(self.model, self.sizes, OPEN_BY_ROUNDING)
            closed += [x for x in found[1:] if (np.abs(self.plain.openings(x.q)) <= allowed).all()]
        derivatives = ((x.q, np.asarray(derivative(x.q))) for x in closed)
        return rank_of(self.model, self.sizes, derivatives)

    @cached_property
    def opening_of_redundant(self) -> float:
        """How far redundant equations open along a motion that the others allow.

        Against what their singular values let expect: up to one they do follow from the others.
        Much more shows a posture that is singular wherever it closes.
        """
        rank = self.rank
        if not rank.redundant:
            return 0.0
        kept = Search(self.model, Slack(rank.rows))
        A = rank.A[list(rank.rows)] * kept.scales
        _, _, Vt = np.linalg.svd(A, full_matrices=True)
        free = Vt[len(rank.rows) :]
        if not len(free):
            return 0.0
        way = free.T @ np.random.default_rng(2).standard_normal(len(free))
        way /= np.abs(way).max()
        for size in _MOTIONS:
            there = kept.close(kept.moved(rank.q, size * way * kept.scales))
            if there.closes:
                opened = np.abs(self.plain.openings(there.q) / self._scales).max(initial=0.0)
                before = np.abs(self.plain.openings(rank.q) / self._scales).max(initial=0.0)
                expected = _MARGIN * max(rank.dropped, _LEAST) * size
                return float(max(opened - before, 0.0) / expected)
        return 0.0

    @cached_property
    def search(self) -> Search:
        """The search for closed postures of the machine as assembled.

        Its openings are all that :func:`mismatch` compares; of machines some of whose equations
        follow from others but for rounding, the equations that count, and what of the rest is more
        than rounding explains.
        """
        if not self.has_slack:
            return self.plain
        allowed = allowed_openings(self.model, self.sizes, OPEN_BY_ROUNDING)
        return Search(self.model, Slack(self.rank.rows, allowed))

    @property
    def has_slack(self) -> bool:
        """Whether equations follow from others but for rounding, and are not closed exactly."""
        return self.rank.dropped > _ZERO and self.opening_of_redundant <= 1

    @property
    def exact_rows(self) -> tuple[int, ...]:
        """Numbers of the equations that close to the last digit in every closed posture."""
        return self.rank.rows if self.has_slack else tuple(range(len(self.rank.A)))

    @cached_property
    def plain(self) -> Search:
        """The same with all equations to the last digit."""
        return Search(
            self.model, rounding=allowed_openings(self.model, self.sizes, ROUNDING_OF_FILES)
        )

    def open_loops(self, q: Array, tolerance: float = CLOSED) -> dict[str, float]:
        """Loops that are open at a posture, with their largest opening [m or rad]."""
        which = self.search.by_loop(q, tolerance)
        # told in full, also where some of it would be allowed
        return {name: by for name, by in self.plain.by_loop(q, tolerance).items() if name in which}

    def postures(self) -> Iterator[Array]:
        """Some postures in general position in which all loops close."""
        yield from (x.q for x in self.search.samples(self.first) if x.closes)

    def usual_postures(self) -> Iterator[Array]:
        """Closed postures near and far: what a machine looks like on its way.

        Those of :meth:`postures` may all be next to a singular one.
        """
        rng = np.random.default_rng(2)
        for q in self.postures():
            yield q
            kick = rng.standard_normal(self.mechanism.nv) * self.search.scales
            other = self.search.close(self.search.moved(q, kick))
            if other.closes:
                yield other.q

    @cached_property
    def _scales(self) -> Array:
        """Of each number of the mismatch: the size of its loop [m], or a radian."""
        lengths = length_scales(self.model, self.sizes)
        owners = owners_of_mismatch(self.model)
        return np.array([lengths[name] if is_length else 1.0 for name, is_length in owners])


@lru_cache(maxsize=64)
def closed_loops(mechanism: Mechanism) -> ClosedLoops:
    """The loops of a machine, closed as it is assembled, with a notice where that moves a frame.

    Raises:
        OpenLoop: No posture was found in which all loops close, and more is missing in the nearest
            one than rounding of a model file explains.
    """
    found = _nearest(mechanism)
    search, sizes, q = found.search, found.sizes, found.attempt.q
    if found.attempt.residual <= _EXACT * max([1.0, *(size.length for size in sizes.values())]):
        return ClosedLoops(mechanism, search.model, found.attempt, {}, sizes)
    tolerance = part_of_lengths(sizes, ROUNDING_OF_FILES)
    moved = {}
    if (np.abs(search.openings(q)) <= search.rounding).all():
        held = [x for x in mechanism.loops if not isinstance(x.motion, JointCoupling)]
        offsets = {x.name: closing_offset(search.model, x, q) for x in held}
        moved = {
            name: offset for name, offset in offsets.items() if offset.distance or offset.angle
        }
    if not moved or not all(
        offset.distance <= max(tolerance, CLOSED) and offset.angle <= ROUNDING_OF_FILES
        for offset in moved.values()
    ):
        opened = search.by_loop(q)
        raise OpenLoop(
            mechanism,
            q,
            max(opened.values()),
            opened,
            advice=f"Check lengths and axes: rounding of a model file explains {tolerance:.2g} m "
            f"and {ROUNDING_OF_FILES:g} rad here.",
        )
    model = replace(search.model, frame_offsets={name: x.transform for name, x in moved.items()})
    closed = ClosedLoops(mechanism, model, Search(model).close(q), moved, sizes)
    warn_of_offsets(mechanism, moved, closed.tolerance)
    return closed


@dataclass(frozen=True, eq=False)
class _Nearest:
    """How far a machine closes as it is written."""

    search: Search
    sizes: dict[str, LoopSize]
    attempt: Attempt


@lru_cache(maxsize=64)
def _nearest(mechanism: Mechanism) -> _Nearest:
    """The search that decides; kept, since errors are not, and a machine is asked many times."""
    model, sizes = model_as_written(mechanism), loop_sizes(mechanism)
    allowed = allowed_openings(model, sizes, ROUNDING_OF_FILES)
    search = Search(model, rounding=allowed)
    attempt = search.nearest(mechanism.neutral(), anywhere=True, enough=allowed)
    return _Nearest(search, sizes, attempt)

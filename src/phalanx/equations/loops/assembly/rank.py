"""Rank of the loop equations, from a gap in their singular values.

Equations are made comparable first: lengths are measured in the size of their loop, shifts of
joints too. Then an equation that says something new has a singular value of the order of one,
and one that follows from others a zero, or what the rounding of a model file makes of it. Between
the two there must be a gap: values that lie in it are an error, not a guess.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from phalanx.base.errors import InvalidModel
from phalanx.equations.loops.assembly.loop_sizes import LoopSize, translations_of
from phalanx.equations.loops.assembly.pivoting import spanning_columns
from phalanx.equations.loops.closure.equations import lengths_in_rows, rows_of_loops
from phalanx.equations.tree.model import Model
from phalanx.mechanism.pose import Array

# against the largest singular value
LEAST_KEPT = 3e-4
MOST_DROPPED = 3e-5
_CUT = float(np.sqrt(LEAST_KEPT * MOST_DROPPED))


@dataclass(frozen=True, eq=False)
class Rank:
    """The equations that count, and how clearly.

    Attributes:
        rows: Their numbers, in order.
        kept: The smallest singular value that counts, against the largest; 1 if none does.
        dropped: The largest that does not; 0 if all do.
        q: The posture at which they were compared.
        A: The derivative of all equations there, as it is.
    """

    rows: tuple[int, ...]
    kept: float
    dropped: float
    q: Array
    A: Array

    @property
    def redundant(self) -> int:
        """How many equations follow from others."""
        return len(self.A) - len(self.rows)


def rank_of(
    model: Model, sizes: dict[str, LoopSize], derivatives: Iterable[tuple[Array, Array]]
) -> Rank:
    """The equations that determine all others.

    The rank is the largest over several postures, so that a singular one does not hide an equation;
    the choice is made where the equations are best conditioned.

    Args:
        model: A machine with loops.
        sizes: Of its loops.
        derivatives: Postures, and the derivative of all equations at each.

    Raises:
        InvalidModel: A singular value is neither clearly zero nor clearly not.
    """
    rows, columns = _row_scales(model, sizes), _column_scales(model, sizes)
    best: tuple[int, float, Array, Array, Array] | None = None
    for q, A in derivatives:
        values = np.linalg.svd(rows[:, None] * A * columns, compute_uv=False)
        relative = values / max(values.max(initial=0.0), 1e-300)
        rank = int((relative > _CUT).sum())
        kept = float(relative[rank - 1]) if rank else 1.0
        if best is None or (rank, kept) > best[:2]:
            best = rank, kept, relative, q, A
    assert best is not None  # there is a posture at least
    rank, kept, relative, q, A = best
    dropped = float(relative[rank:].max(initial=0.0))
    if kept < LEAST_KEPT or dropped > MOST_DROPPED:
        raise InvalidModel(_undecided(model, relative, q))
    order = spanning_columns((rows[:, None] * A * columns).T)
    return Rank(tuple(sorted(order[:rank])), kept, dropped, q, A)


def length_scales(model: Model, sizes: dict[str, LoopSize]) -> dict[str, float]:
    """Length scale of each loop [m]."""
    return {loop.name: sizes[loop.name].length or 1.0 for loop in model.mechanism.loops}


def _row_scales(model: Model, sizes: dict[str, LoopSize]) -> Array:
    scales = length_scales(model, sizes)
    owners, are_lengths = rows_of_loops(model), lengths_in_rows(model)
    return np.array(
        [
            1 / scales[x] if is_length else 1.0
            for x, is_length in zip(owners, are_lengths, strict=True)
        ]
    )


def _column_scales(model: Model, sizes: dict[str, LoopSize]) -> Array:
    """A radian, or the size of the smallest loop that a shift takes part in [m]."""
    m, lengths = model.mechanism, length_scales(model, sizes)
    followers = {j.name: j.mimic.leader for j in m.joints if j.mimic is not None}
    scales = np.ones(m.nv)
    for joint in m.moving_joints:
        moved = {joint.name, *(name for name, leader in followers.items() if leader == joint.name)}
        loops = [lengths[name] for name, size in sizes.items() if moved & size.joints]
        scales[m.v_slices[joint.name]] = np.where(
            translations_of(joint), min(loops, default=1.0), 1.0
        )
    return scales


def _undecided(model: Model, relative: Array, q: Array) -> str:
    between = [x for x in relative if MOST_DROPPED < x < LEAST_KEPT]
    values = ", ".join(f"{x:.2g}" for x in between)
    where = np.array2string(q, precision=4, separator=", ", threshold=12)
    return (
        f"the loops of mechanism '{model.mechanism.name}' are neither independent nor redundant: "
        f"against the largest, singular values of their equations of {values} lie between those "
        f"that count (from {LEAST_KEPT:g}) and those that follow from others (up to "
        f"{MOST_DROPPED:g}), at q = {where}. Make axes that are meant to be parallel so to more "
        "digits, or close with what holds less, such as a PlanarPin or Spherical()."
    )

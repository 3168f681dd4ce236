"""Tolerances for the rounding of model files: how far loops may miss and still close."""

from __future__ import annotations

import numpy as np

from phalanx.equations.loops.assembly.loop_sizes import LoopSize
from phalanx.equations.loops.assembly.search import CLOSED
from phalanx.equations.loops.closure.mismatch import owners_of_mismatch
from phalanx.equations.tree.model import Model
from phalanx.mechanism.pose import Array

# What six digits explain, of the largest length in the loops, and in radians: a number is off by up
# to 5e-6 of itself, π/2 as 1.5708 by 4e-6, and a loop adds up a few of them.
ROUNDING_OF_FILES = 1e-5
# How far equations that follow from others but for rounding may be open elsewhere, likewise: axes
# that are off by a few digits each, over a turn of the joints.
OPEN_BY_ROUNDING = 1e-4


def part_of_lengths(sizes: dict[str, LoopSize], part: float) -> float:
    """A part of the largest length in the loops [m]."""
    return part * max((size.length for size in sizes.values()), default=0.0)


def allowed_openings(model: Model, sizes: dict[str, LoopSize], part: float) -> Array:
    """A part of the loops' size, or as many radians, for each number of the mismatch."""
    length = max(part_of_lengths(sizes, part), CLOSED)
    owners = owners_of_mismatch(model)
    return np.array([length if is_length else part for _, is_length in owners])

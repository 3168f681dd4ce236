"""Numeric Jacobian of the loop equations."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


def numeric_jacobian(mechanism: Mechanism, q: Array) -> Array:
    """Jacobian of the independent loop equations at a posture."""
    return np.asarray(_derivative_function(mechanism)(q))[list(closed_loops(mechanism).exact_rows)]


@lru_cache(maxsize=64)
def _derivative_function(mechanism: Mechanism) -> Callable[[Array], Any]:
    """Traced once: dragging a slider assembles a machine many times a second."""
    return derivative_function(model_of(mechanism))

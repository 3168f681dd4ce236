"""Matrices by traversal, column by column, up to a size."""

from __future__ import annotations

import math

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.choice import SIZES, node_count
from phalanx.dynamics.evaluators.quantities.inverse_dynamics import MASS_TIMES
from phalanx.dynamics.evaluators.quantities.mass_solve import MASS_SOLVE
from phalanx.dynamics.evaluators.recursion import Recursion
from phalanx.dynamics.evaluators.traversed.arguments import Arguments
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

# Largest result of one call [byte].
LARGEST = 2 << 30
# Columns of a matrix that are found at a time.
BLOCK = 64


def mass_times(arguments: Arguments) -> Array:
    """M x, shape (samples, nv)."""
    arrays = {"q": arguments["q"], "a": arguments["x"]}
    return arguments.run(MASS_TIMES, arrays).results["tau"]


def mass_matrix(arguments: Arguments) -> Array:
    """M column by column, shape (samples, nv, nv)."""
    return _column_by_column(arguments, "mass_matrix", MASS_TIMES, ("a", "tau"))


def mass_matrix_inverse(arguments: Arguments) -> Array:
    """M⁻¹ column by column, shape (samples, nv, nv)."""
    return _column_by_column(arguments, "mass_matrix_inverse", MASS_SOLVE, ("tau", "a"))


def _column_by_column(
    arguments: Arguments, name: str, product: Recursion, ports: tuple[str, str]
) -> Array:
    """A symmetric matrix from its products with unit vectors, which ``ports`` take and give."""
    mechanism = arguments.machine.mechanism
    n, (factor, result) = mechanism.nv, ports
    check_memory(mechanism, name, (arguments.samples, n, n))
    M, traversal = np.empty((arguments.samples, n, n)), arguments.machine.traversal(product)
    for q, matrix in zip(arguments["q"], M, strict=True):
        for first in range(0, n, BLOCK):
            units = np.eye(min(BLOCK, n - first), n, first)
            arrays = {"q": q[None], factor: units}
            columns = traversal(len(units), arrays)
            matrix[first : first + len(units)] = columns.results[result]
        # the same to the bit on both sides of the diagonal
        lower = np.tril_indices(n, -1)
        matrix.T[lower] = matrix[lower]
    return M


def check_memory(mechanism: Mechanism, name: str, shape: tuple[int, ...]) -> None:
    """Raise InvalidInput where a result would not fit any reasonable memory."""
    size = 8 * math.prod(shape)
    if size > LARGEST:
        raise InvalidInput(
            f"{name} of '{mechanism.name}' would take {_size(size)}, shape {shape}; at most "
            f"{_size(LARGEST)} are made. {INSTEAD[name]}"
        )


def too_large(mechanism: Mechanism, name: str, shape: tuple[int, ...]) -> InvalidInput:
    """Describe why a matrix needs unrolled code."""
    return InvalidInput(
        f"{name} of '{mechanism.name}' is a matrix of shape {shape} and "
        f"{_size(8 * math.prod(shape))}, with unrolled code for every entry: that is for machines "
        f"of up to {SIZES['quantity'].traversed_from - 1} elementary joints, and this one has "
        f"{node_count(mechanism)}. {INSTEAD[name]}"
    )


_PRODUCTS = "mass_times and mass_solve multiply with M and its inverse without forming them."
_DIFFERENCES = "Differences of inverse_dynamics or forward_dynamics give the directions you need."
INSTEAD = {
    "mass_matrix": _PRODUCTS,
    "mass_matrix_inverse": _PRODUCTS,
    "coriolis_matrix": "bias gives its product with the velocities, gravity included.",
    "inverse_dynamics_derivatives": _DIFFERENCES,
    "forward_dynamics_derivatives": _DIFFERENCES,
    "regressor": "inverse_dynamics of machines with unit masses gives single columns.",
}


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**29 else f"{count / 2**20:.1f} MiB"

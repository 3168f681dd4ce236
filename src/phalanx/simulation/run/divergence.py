"""Divergence of a run: in which step, and why.

A compiled loop goes on whatever happens: once a number is no longer finite, all that depends on it
is not either. Each run carries one more number with it, which counts its steps and turns negative
in the first one that ends badly.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.errors import PhalanxError


class Cause(IntEnum):
    """Cause of a run's end before its last step."""

    NONE = 0
    NOT_FINITE = 1
    SINGULAR_POSTURE = 2

    @property
    def words(self) -> str:
        """For messages."""
        return {
            Cause.NONE: "nothing happened",
            Cause.NOT_FINITE: "its state left finite numbers: shorten the step, check gains, "
            "torques and initial state; a machine may also have met a posture in which its mass "
            "matrix is singular",
            Cause.SINGULAR_POSTURE: "it came to a singular posture, where its loops can go on in "
            "several ways and its velocity does not say in which: drive it so that it passes with "
            "more speed, or stays away",
        }[self]


@dataclass(frozen=True, eq=False)
class Divergence:
    """Which runs of a batch ended early, when and why.

    Attributes:
        step: The step after which a run was no longer good, from 1 on: shape (...). 0 where the
            initial state was not finite already, -1 for runs that went well.
        cause: A :class:`Cause` of each run as a number, shape (...).
    """

    step: NDArray[np.int64]
    cause: NDArray[np.int8]

    @property
    def runs(self) -> NDArray[np.bool_]:
        """Whether a run ended early, shape (...)."""
        return np.asarray(self.cause != Cause.NONE)

    @staticmethod
    def none() -> Divergence:
        """Of one run that went well."""
        return Divergence(np.array(-1), np.array(Cause.NONE, dtype=np.int8))

    @staticmethod
    def of(count: NDArray[Any], *initial: NDArray[Any], singular: NDArray[np.bool_]) -> Divergence:
        """From what runs counted.

        Args:
            count: Steps, as :func:`counted` leaves them, shape (...).
            initial: States that runs began with, shape (..., n).
            singular: Which of them stopped at singular postures, shape (...).
        """
        began = reduce(np.logical_and, (np.isfinite(part).all(axis=-1) for part in initial))
        bad = count < 0
        step = np.where(bad, np.where(began, -count, 0), -1).astype(np.int64)
        cause = np.where(singular, Cause.SINGULAR_POSTURE, Cause.NOT_FINITE)
        return Divergence(step, np.where(bad, cause, Cause.NONE).astype(np.int8))

    def __repr__(self) -> str:
        if not self.runs.any():
            return f"<Divergence: none of {self.cause.size} runs>"
        first = self._first()
        return (
            f"<Divergence: {int(self.runs.sum())} of {self.cause.size} runs, the first in step "
            f"{self.step.flat[first]}>"
        )

    def _first(self) -> int:
        """The run that ended earliest."""
        return int(np.argmin(np.where(self.runs, self.step, np.iinfo(np.int64).max)))


class RolloutDiverged(PhalanxError):
    """Runs of a batch that could not go on; ``rollout`` holds all of them."""

    def __init__(self, mechanism: str, divergence: Divergence, rollout: Any) -> None:
        """Say how many runs ended early, and of the first one when and why."""
        k = divergence._first()
        where = np.unravel_index(k, divergence.cause.shape)
        run = f"run {where[0] if len(where) == 1 else tuple(map(int, where))}" if where else "it"
        cause = Cause(int(divergence.cause.flat[k]))
        super().__init__(
            f"{int(divergence.runs.sum())} of {divergence.cause.size} runs of '{mechanism}' ended "
            f"early. The first was {run}, in step {divergence.step.flat[k]}: {cause.words}."
        )
        self.rollout = rollout


def counted(step: ca.Function, carried: int, dtype: np.dtype[Any]) -> ca.Function:
    """The step with one more number carried along: how many steps went well.

    It grows by one a step. In the first step whose carried numbers are not all finite it becomes
    the negative number of that step, and stays so, whatever comes.

    Args:
        step: A function whose first ``carried`` outputs are its first inputs in the next step.
        carried: How many.
        dtype: What the loop computes in. In single precision steps beyond 2²⁴ are not counted.
    """
    inputs = [SX.sym(name, step.sparsity_in(name)) for name in step.name_in()]
    outputs = step.call(inputs)
    good = SX.sym("good")
    size = sum((ca.sum1(ca.fabs(ca.vec(x))) for x in outputs[:carried]), SX(0))
    # NaN is not below anything, and infinity not below the largest number
    finite = size <= float(np.finfo(dtype).max)
    after = ca.if_else(good < 0, good, ca.if_else(finite, good + 1, -(good + 1)))
    names_in, names_out = step.name_in(), step.name_out()
    return ca.Function(
        step.name(),
        [*inputs[:carried], good, *inputs[carried:]],
        [*outputs[:carried], after, *outputs[carried:]],
        [*names_in[:carried], "good", *names_in[carried:]],
        [*names_out[:carried], "good_next", *names_out[carried:]],
    )

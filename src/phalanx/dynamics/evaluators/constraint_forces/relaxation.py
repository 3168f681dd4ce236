"""Gauss-Seidel and successive over-relaxation (SOR): joints take their steps in turn.

Each uses the new forces of the joints before it. That halves the steps of Jacobi's iteration, or
does much better with the right omega, and gives away that joints can work at the same time.

Reference:
    Sharf and D'Eleuterio (1993), eqs. 16 and 17.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.jacobi import MOST_STATIONARY
from phalanx.dynamics.evaluators.constraint_forces.joint_passes import JointPasses
from phalanx.dynamics.evaluators.constraint_forces.solution import (
    ForceSolution,
    IterationProgress,
    LinearSolver,
    checked_start,
    may_diverge,
)
from phalanx.dynamics.evaluators.constraint_forces.spectrum import optimal_omega, spectral_radius
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem, total
from phalanx.dynamics.evaluators.constraint_forces.three_term import ratio
from phalanx.kernel.traversal.compile_traversal import PassSteps
from phalanx.mechanism.pose import Array


class Relaxation(LinearSolver):
    """Every joint solves its row with the newest forces there are, and goes on from there."""

    @abstractmethod
    def factors(self, system: ConstraintSystem) -> Array:
        """How many times as far each sample goes, shape (samples,)."""

    @final
    @may_diverge
    def solve(
        self,
        system: ConstraintSystem,
        start: Array | None = None,
        *,
        stopping: Stopping | None = None,
        fallback: LinearSolver | None = None,
    ) -> ForceSolution:
        stopping, omega = stopping or Stopping(), self.factors(system)
        apply = blocks.apply_kernel(system.structure.width, system.threads)
        f = checked_start(system, start)
        scale = np.sqrt(total(apply(system.inverse_D, system.b).zr))
        sweep = _RelaxationSweep(system, omega)
        progress = IterationProgress.of(self.name, system, f)
        if stopping.change is None:
            left = sweep.residual(f)
            progress.at_start(stopping.met(left, left, left, scale))
        for _ in range(stopping.most or MOST_STATIONARY):
            kept = progress.narrowed()
            if progress.is_over:
                break
            if kept is not None:
                system, omega, f, scale = system.take(kept), omega[kept], f[kept], scale[kept]
                sweep = _RelaxationSweep(system, omega)
            before, f = f, sweep(f)
            changed = np.sqrt(total(_squares(f - before)))
            size = np.sqrt(total(_squares(f)))
            # the residual costs as much as a sweep
            left = np.full(len(f), np.nan) if stopping.residual is None else sweep.residual(f)
            met = stopping.met(changed, size, left, scale)
            progress.record(f, ratio(changed, size), ratio(left, scale), met)
        return progress.solution(f, fallback)


@final
@dataclass(frozen=True)
class GaussSeidel(Relaxation):
    """Every joint solves its row with the newest forces there are."""

    name: ClassVar[str] = "GaussSeidel"

    def factors(self, system: ConstraintSystem) -> Array:
        return np.ones(system.samples)


@final
@dataclass(frozen=True)
class SuccessiveOverRelaxation(Relaxation):
    """Every joint goes omega times as far as Gauss-Seidel would (SOR).

    Attributes:
        omega: Between 0 and 2; the best one for a chain when not given, from Jacobi's spectral
            radius, which costs more than a solution does.
    """

    name: ClassVar[str] = "SuccessiveOverRelaxation"

    omega: float | None = None

    def __post_init__(self) -> None:
        """Refuse what diverges."""
        check_fields(self)
        if self.omega is not None and not 0 < self.omega < 2:
            raise InvalidInput(
                f"omega of SuccessiveOverRelaxation is {self.omega}; expected between 0 and 2."
            )

    def factors(self, system: ConstraintSystem) -> Array:
        if self.omega is None:
            return optimal_omega(spectral_radius(system))
        return np.full(system.samples, self.omega)


@lru_cache(maxsize=16)
def _substitution(at: Structure, threads: int) -> JointPasses:
    """F = g + K f_parent, from the root outward, where no joint has siblings."""
    w = at.width
    names = {"carried": w, "numbers": 0, "K": w * w, "g": w}
    inputs = {name: SX.sym(name, size) for name, size in names.items()}
    f = inputs["g"] + ca.reshape(inputs["K"], w, w).T @ inputs["carried"]
    step = ca.Function("substitute", list(inputs.values()), [f, f], list(inputs), ["on", "f"])
    arrays: dict[str, str | int] = {"K": w * w, "g": w, "f": w}
    return JointPasses("substitution", [PassSteps(False, w, (step,))], arrays, at, threads)


class _RelaxationSweep:
    """One step of all joints, from the root outward."""

    def __init__(self, system: ConstraintSystem, omega: Array) -> None:
        self.system, self.omega = system, omega[:, None, None]
        self.apply = blocks.apply_kernel(system.structure.width, system.threads)
        # what a joint takes from its parent's new force, and from those of siblings before it
        scaled = self.omega[..., None] * system.inverse_D
        self.from_parent = scaled @ system.L
        second = system.structure.siblings[:, 1]
        self.from_sibling = -scaled[:, second] @ system.siblings.swapaxes(-1, -2)

    def __call__(self, f: Array) -> Array:
        """The forces after a sweep."""
        at = self.system.structure
        own = self.apply(self.system.inverse_D, self.system.b - self._beyond(f)).z
        f = (1 - self.omega) * f + self.omega * own
        if not len(at.siblings):
            arrays = {"K": self.from_parent, "g": f}
            flat = {name: x.reshape(len(f), -1) for name, x in arrays.items()}
            swept = _substitution(at, self.system.threads)(len(f), flat, {"f": f[0].size})
            return swept["f"].reshape(f.shape)
        for turn in self.system.structure.turns:
            i = turn.joints
            if turn.parent is not None:
                f[:, i] += (self.from_parent[:, i] @ f[:, turn.parent, :, None])[..., 0]
            for j, pair in zip(turn.before, turn.pairs, strict=True):
                f[:, i] += (self.from_sibling[:, pair] @ f[:, j, :, None])[..., 0]
        return f

    def residual(self, f: Array) -> Array:
        """|b - A f| in the norm of D⁻¹, shape (samples,)."""
        left = self.system.b - self.system.product(f)
        return np.sqrt(total(self.apply(self.system.inverse_D, left).zr))

    def _beyond(self, f: Array) -> Array:
        """The part of A f from joints that come later: children, and siblings further on."""
        at = self.system.structure
        result = np.zeros_like(f)
        up = -(self.system.L.swapaxes(-1, -2) @ f[..., None])[..., 0]
        at.add_to_parents(result, up)
        if len(at.siblings):
            first, second = at.siblings.T
            product = (self.system.siblings @ f[:, second, :, None])[..., 0]
            at.add(result, first, product)
        return result


def _squares(x: Array) -> Array:
    return np.asarray(np.einsum("snw,snw->sn", x, x))

"""Inverse constraint-space inertia A M⁻¹ Aᵀ of the loops, factorized also where nearly singular.

Each pivot of the factorization says how much one closure equation still holds when the others are
met, and against its usual size it says how near a singular posture is: at an angle d from one, a
pivot is about d² of what it usually is. There two ways to go on cross, c = d δ, and what equations
can say fades: with positions rounded to ε, the way δ across the branch is known to ε/d and its
direction to ε/d², and an integrator multiplies that by the step over d.

So equations whose pivot falls to about ``WEAK`` of its usual size let go, smoothly: they neither
draw positions and velocities (which are closed already) nor turn rounding into forces. The
acceleration across the branch, which is as smooth as elsewhere, is then the one that the machine
had before.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.loops.numbers.conditioning import usual_pivots
from phalanx.equations.mass_matrix.factorization import Factorization, factorize
from phalanx.equations.tree.model import Model

# Of the usual pivot: 3e-4 rad from a singular posture. Nearer, rounding is worth more than what an
# equation says; farther, an acceleration that is held over that way is not good enough.
WEAK = 1e-7
# Of the usual pivot: what rounding leaves of it is a hundredth.
LOST = 1e-14


@dataclass(frozen=True)
class Coupling:
    """The independent closure equations at a posture, and what they do to the machine.

    Attributes:
        A: Their derivative along the velocities, shape (m, nv).
        response: M⁻¹ Aᵀ.
        factors: Of A M⁻¹ Aᵀ.
        relative_pivots: Pivots against their usual size, shape (m,).
    """

    A: SX
    response: SX
    factors: Factorization
    relative_pivots: SX

    @property
    def nearness(self) -> SX:
        """The weakest strength: 1 at usual postures, 0 at a singular one."""
        return ca.mmin(self.relative_pivots)

    def forces(self, opening: SX) -> SX:
        """Forces of the loops that stop an opening: (A M⁻¹ Aᵀ)⁻¹ opening."""
        return self.factors.solve(opening)

    def forces_near(self, opening: SX, before: SX) -> SX:
        """The same, where weak equations make no difference to the motion before.

        Args:
            opening: How loops would accelerate without forces.
            before: How they would with the accelerations of before.
        """
        stopped, changed = self.factors.inward(opening), self.factors.inward(before)
        return self.factors.outward(stopped - self._doubts() * changed)

    def impulse(self, jump: SX) -> SX:
        """Impulses in the loops that make a jump of velocities, none in weak equations."""
        return self.factors.outward((1 - self._doubts()) * self.factors.inward(jump))

    def _doubts(self) -> SX:
        """How little each equation is to be believed: 1 at singular postures, 0 from 4 WEAK on."""
        return ca.fmax(0, 1 - self.relative_pivots * (0.25 / WEAK)) ** 2


def coupling(model: Model, A: SX, M: Factorization) -> Coupling:
    """The coupling by equations with derivative A in a machine with mass matrix M."""
    usual = usual_pivots(model.mechanism)
    response = M.solve(A.T)
    factors = factorize(A @ response, [LOST * pivot for pivot in usual])
    relative_pivots = ca.vertcat(*(p * (1 / u) for p, u in zip(factors.pivots, usual, strict=True)))
    return Coupling(A, response, factors, relative_pivots)

"""Inertia of open legs, and generalized inertia at the motors."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.loops.legs.complement import Complement, LegScrews
from phalanx.equations.loops.legs.legs import LinkInertia
from phalanx.equations.loops.legs.platform import Platform
from phalanx.equations.spatial import skew


def generalized_inertia(platform: Platform, found: Complement) -> SX:
    """Jᵀ I J: the inertia that the motors feel, as a sum over legs.

    Leg j contributes to every pair (k, l) of motors bᵏᵀ L b^l, where L is, with X = S^j - 1,
    I₁₁ a₁a₁ᵀ + a₁â₁ᵀX + Xᵀâ₁a₁ᵀ + XᵀĀX for its own motor, and the same without the terms of its
    own motor, and S for X, for motors of other legs.

    Reference:
        Khan (2002), eqs. 3.42-3.46.
    """
    n = len(found.legs)
    total = SX.zeros(n, n)
    for j, leg in enumerate(found.legs):
        I = chain_inertia(platform, leg)
        driven, passive = leg.leg.driven, leg.leg.passive
        hat = {
            k: sum((I[r][k] * leg.rates[r] for r in passive), start=SX.zeros(*leg.motor.shape))
            for k in range(len(leg.screws))
        }
        bar = sum((leg.rates[r] @ hat[r].T for r in passive), start=SX.zeros(*leg.Phi.shape))
        # what the motors make of the platform, as leg j sees it: S b, and (S - 1) b for its own
        seen = list(found.pushed)
        seen[j] = seen[j] - leg.motor
        for k in range(n):
            for l in range(k + 1):
                entry = ca.dot(seen[k], bar @ seen[l])
                if k == j:
                    entry += ca.dot(hat[driven], seen[l])
                if l == j:
                    entry += ca.dot(hat[driven], seen[k])
                if k == l == j:
                    entry += I[driven][driven]
                total[k, l] += entry
                if k != l:
                    total[l, k] += entry
    return total


def chain_inertia(platform: Platform, leg: LegScrews) -> list[list[SX]]:
    """Inertia matrix of an open leg, entry by entry: I_kl = s_kᵀ M s_l, M of what both move."""
    n, d = len(leg.screws), len(platform.rows)
    composite = SX.zeros(d, d)
    I = [[SX(0)] * n for _ in range(n)]
    for k in reversed(range(n)):
        link = leg.leg.links[k]
        if link is not None:
            composite = composite + _inertia(platform, link)
        momentum = composite @ leg.screws[k]
        for i in range(k + 1):
            I[i][k] = I[k][i] = ca.dot(leg.screws[i], momentum)
        I[k][k] += leg.leg.joints[k].armature
    return I


def _inertia(platform: Platform, link: LinkInertia) -> SX:
    """A link's mass matrix for twists at P."""
    arm = link.mass * skew(link.centre)
    top = ca.horzcat(link.inertia - arm @ skew(link.centre), arm)
    bottom = ca.horzcat(-arm, link.mass * SX.eye(3))
    rows = list(platform.rows)
    return ca.vertcat(top, bottom)[rows, rows]

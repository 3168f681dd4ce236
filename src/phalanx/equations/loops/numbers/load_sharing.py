"""Load sharing among legs with a motor in every joint."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.loops.legs.platform import platform_of
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


def shares_by_condition(
    mechanism: Mechanism, q: Array, actuated: Sequence[str] | None = None
) -> tuple[float, ...]:
    """Shares of the platform in proportion to how well each leg can carry it.

    w_j ∝ 1 / cond(J_j), where J_j takes the velocities of a leg's joints to the twist of the
    platform: a leg that is nearly stretched or folded is spared. For ``shares`` of
    :func:`recursive_inverse`.

    Args:
        mechanism: A platform on legs.
        q: Positions that close the loops [m or rad], shape (nq,).
        actuated: Joints with motors, one a leg; those with an effort limit when not given.

    Returns:
        One number a leg, sum 1.

    Raises:
        InvalidModel: The machine is not a platform on legs.

    Reference:
        Khan (2002), sec. 3.2, which names the criterion and gives no formula.
    """
    symbol = SX.sym("q", mechanism.nq)
    platform = platform_of(model_of(mechanism), symbol, actuated)
    jacobians = [
        ca.densify(ca.horzcat(*(platform.screw(joint) for joint in leg.joints)))
        for leg in platform.legs
    ]
    at = ca.Function("jacobians", [symbol], jacobians).call([ca.DM(np.asarray(q))])
    weights = np.array([1 / np.linalg.cond(np.array(J)) for J in at])
    return tuple(float(w) for w in weights / weights.sum())

"""Machine code of the centre in the recursive method (DeNOC).

Its inputs are only what legs send. See `forward` for the order of messages.

Reference:
    Khan (2002), ch. 3, with the platform cut between the legs.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.distribute.programs.platforms.legs.compiled import Call, compiled_for_centre, symmetric
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.equations.mass_matrix.factorization import factorize


@dataclass(frozen=True)
class CentreWork:
    """What the centre computes from what legs send, one column a leg.

    Attributes:
        twist: Proposals -> the platform's twist, what each motor makes of it.
        change: (proposals, Φ drift) -> the platform's acceleration.
        accelerate: Torques left and parts of the inertia -> accelerations of the motors.
    """

    twist: Call
    change: Call
    accelerate: Call


def centre_work(legs: Legs) -> CentreWork:
    """Trace and compile the work of the centre."""
    d, n = legs.dimension, len(legs.names)
    packed = d * (d + 1) // 2
    sent = SX.sym("sent", packed + d + 1, n)
    drift = SX.sym("drift", d, n)
    left = SX.sym("left", 1 + n * (n + 1) // 2, n)

    K = factorize(symmetric(ca.sum2(sent[:packed, :]), d))
    proposed = K.solve(sent[packed:-1, :])
    twist = proposed @ sent[-1, :].T
    change = K.solve(ca.sum2(drift))
    inertia = symmetric(ca.sum2(left[1:, :]), n)
    alpha = factorize(inertia).solve(left[0, :].T)

    return CentreWork(
        compiled_for_centre("twist", {"sent": sent}, {"twist": twist, "proposed": proposed}),
        compiled_for_centre("change", {"sent": sent, "drift": drift}, {"change": change}),
        compiled_for_centre("accelerate", {"left": left}, {"alpha": alpha}),
    )

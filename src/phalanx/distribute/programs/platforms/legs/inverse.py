"""Inverse dynamics of a platform on legs, each leg on a node of its own.

Three round trips: the first two are the kinematics of the machine (`kinematics`). Then legs tell
what their passive joints lack, as a wrench on the platform, the centre answers with the sum, and
each leg knows the torque of its own motor.

Reference:
    Khan (2002), sec. 3.1 and 3.2, distributed over three nodes and a centre.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.inprocess import run_together
from phalanx.distribute.processes.messages import (
    Answer,
    Array,
    Ask,
    Listen,
    Message,
    Program,
    Traffic,
)
from phalanx.distribute.programs.platforms.legs.centre_work import CentreWork, centre_work
from phalanx.distribute.programs.platforms.legs.kinematics import (
    Platform,
    centre_kinematics,
    leg_kinematics,
)
from phalanx.distribute.programs.platforms.legs.leg_work import LegWork, leg_work
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import Feedback, Machine
from phalanx.mechanism import Mechanism


def inverse_dynamics(
    mechanism: Mechanism, q: ArrayLike, rates: ArrayLike, accelerations: ArrayLike
) -> tuple[Array, list[Traffic]]:
    """Torques of the motors for a motion, found by legs that ask a centre.

    Args:
        mechanism: A platform on legs, one motor each.
        q: Positions that close the loops, shape (nq,).
        rates: Velocities of the motors, in the order of the machine's actuated joints.
        accelerations: Of the motors.

    Returns:
        Torques of the motors [N·m or N], in the same order, and what each node sent: the centre
        first, then the legs.

    Raises:
        InvalidModel: The machine is not a platform on legs.
        InvalidInput: Shapes do not fit.
    """
    machine = Machine(mechanism, Feedback(0.0, 0.0))
    legs = Legs(machine)
    n = len(machine.motors)
    given = [np.asarray(x, dtype=np.float64) for x in (q, rates, accelerations)]
    for name, x, size in zip(
        ("q", "rates", "accelerations"), given, (mechanism.nq, n, n), strict=True
    ):
        if x.shape != (size,) or not np.isfinite(x).all():
            raise InvalidInput(f"{name} has shape {x.shape}; expected {size} finite numbers.")
    torques = np.empty(n)

    def solved(leg: int) -> Program:
        """A leg that leaves its torque where the caller finds it."""
        (motor,) = machine.motors_of(legs.part(leg))
        y = np.concatenate(
            [
                given[0][list(legs.part(leg).q)],
                given[1][[motor]],
                given[0][list(legs.platform.q)],
            ]
        )
        torques[motor] = yield from _leg(
            legs, leg_work(legs, leg), leg, y, given[2][motor : motor + 1]
        )

    programs = [_centre(legs, centre_work(legs)), *(solved(leg) for leg in range(n))]
    return torques, list(run_together(programs).traffic)


def leg_torque(
    legs: Legs, work: LegWork, leg: int, y: Array, alpha: Array, platform: Platform
) -> Generator[Message, Any, float]:
    """The torque of a leg's motor once it knows how all moves, in one round trip."""
    d = legs.dimension
    nothing = np.zeros(legs.machine.samples)
    load, left = work.lack(y, platform.twist, platform.change, alpha, nothing)
    whole = yield Ask(load, d)
    return -float(left.item() + platform.proposed[:, leg] @ whole)


def centre_torque(legs: Legs) -> Program:
    """The centre's part of it: the sum of what passive joints lack."""
    loads = yield Listen((legs.dimension,) * len(legs.names))
    yield Answer(np.sum(loads, axis=0))


def _leg(
    legs: Legs, work: LegWork, leg: int, y: Array, alpha: Array
) -> Generator[Message, Any, float]:
    platform = yield from leg_kinematics(legs, work, y, alpha)
    return (yield from leg_torque(legs, work, leg, y, alpha, platform))


def _centre(legs: Legs, work: CentreWork) -> Program:
    yield from centre_kinematics(legs, work)
    yield from centre_torque(legs)

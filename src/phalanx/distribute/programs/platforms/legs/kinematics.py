"""Velocities and accelerations of a platform on legs, each leg on a process of its own.

Two round trips. Legs send their projector Φ, what their motor proposes and its rate; the centre
replies with the platform's twist and what each motor makes of it. Legs send Φ times the
acceleration they would give the platform; the centre replies with the platform's acceleration.
Every leg then knows how its own joints move.

Reference:
    Khan (2002), sec. 3.1, distributed over three nodes and a centre.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import (
    Array,
    Collect,
    Message,
    ProcessProgram,
    Reply,
    Request,
)
from phalanx.distribute.programs.platforms.legs.centre_work import CentreWork
from phalanx.distribute.programs.platforms.legs.leg_work import LegWork
from phalanx.distribute.programs.platforms.legs.legs import Legs


@dataclass(frozen=True)
class PlatformMotion:
    """Motion of the platform, as the centre sends it to a leg.

    Attributes:
        twist: Its velocity.
        proposed: What unit rates of all motors make of it, a column each.
        change: The rate of its twist.
    """

    twist: Array
    proposed: Array
    change: Array


def leg_kinematics(
    legs: Legs, work: LegWork, y: Array, alpha: Array
) -> Generator[Message, Any, PlatformMotion]:
    """Return how the platform moves for a leg's motor acceleration, in two round trips."""
    d, n = legs.dimension, len(legs.names)
    answer = yield Request(work.propose(y), d + d * n)
    twist, proposed = answer[:d], answer[d:].reshape(d, n)
    wanted, _ = work.move(y, twist, alpha)
    change = yield Request(wanted, d)
    return PlatformMotion(twist, proposed, change)


def centre_kinematics(legs: Legs, work: CentreWork) -> ProcessProgram:
    """Do the centre's part of it."""
    d, n = legs.dimension, len(legs.names)
    sent = yield Collect((d * (d + 1) // 2 + d + 1,) * n)
    proposals = np.column_stack(sent)
    twist, proposed = work.twist(proposals)
    yield Reply(np.concatenate([twist, proposed.ravel()]))
    wanted = yield Collect((d,) * n)
    yield Reply(work.change(proposals, np.column_stack(wanted)))

"""Velocities and accelerations of a platform on legs, each leg on a node of its own.

Two round trips. Legs tell their projector Φ, what their motor proposes and its rate; the centre
answers with the platform's twist and what each motor makes of it. Legs tell Φ times the
acceleration they would give the platform; the centre answers with the platform's acceleration.
Every leg then knows how its own joints move.

Reference:
    Khan (2002), sec. 3.1, distributed over three nodes and a centre.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import Answer, Array, Ask, Listen, Message, Program
from phalanx.distribute.programs.platforms.legs.centre_work import CentreWork
from phalanx.distribute.programs.platforms.legs.leg_work import LegWork
from phalanx.distribute.programs.platforms.legs.legs import Legs


@dataclass(frozen=True)
class Platform:
    """What a leg has been told of the platform.

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
) -> Generator[Message, Any, Platform]:
    """How the platform moves when a leg's motor accelerates by ``alpha``, in two round trips."""
    d, n = legs.dimension, len(legs.names)
    answer = yield Ask(work.propose(y), d + d * n)
    twist, proposed = answer[:d], answer[d:].reshape(d, n)
    asked, _ = work.move(y, twist, alpha)
    change = yield Ask(asked, d)
    return Platform(twist, proposed, change)


def centre_kinematics(legs: Legs, work: CentreWork) -> Program:
    """The centre's part of it."""
    d, n = legs.dimension, len(legs.names)
    told = yield Listen((d * (d + 1) // 2 + d + 1,) * n)
    proposals = np.column_stack(told)
    twist, proposed = work.twist(proposals)
    yield Answer(np.concatenate([twist, proposed.ravel()]))
    asked = yield Listen((d,) * n)
    yield Answer(work.change(proposals, np.column_stack(asked)))

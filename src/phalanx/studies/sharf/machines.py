"""Machines and motions of the study: the small chain, the substitute arm, chains of N bodies.

The paper's arm and its two manoeuvres are not in the paper: they are in one of 1988 that it names.
The arm here has as many links and freedoms and stands in for it; whatever it does reproduces no
number of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute, Universal
from phalanx.mechanism.joint import Motion
from phalanx.mechanism.pose import Array
from phalanx.planning.motions import Trajectory, cycloid

DURATION = 10.0  # [s], of both manoeuvres
LENGTH, MASS, COM = 1.0, 1.0, 0.5  # [m], [kg], [m] along x
# about the joint [kg·m²]; about the centre of mass m c² less across x
INERTIA = np.diag([0.01, 0.01 / 3 + 0.34 - MASS * COM**2, 0.01 / 3 + 0.34 - MASS * COM**2])

_X, _Y, _Z = np.eye(3)


def _chain(name: str, motions: Sequence[Motion], gravity: Sequence[float]) -> Mechanism:
    """Equal links along x, each jointed to the tip of the one before."""
    names = ["base", *(f"link_{i}" for i in range(1, len(motions) + 1))]
    links = [Body(link, MASS, np.array([COM, 0, 0]), INERTIA) for link in names[1:]]
    joints = [
        Joint(
            f"joint_{i + 1}",
            names[i],
            names[i + 1],
            motion,
            Pose(translation=np.array([LENGTH if i else 0.0, 0, 0])),
        )
        for i, motion in enumerate(motions)
    ]
    return Mechanism(name, [Body("base"), *links], joints, gravity=np.array(gravity))


@cache
def small_chain() -> Mechanism:
    """Three links of one freedom each, axes z, y, y, in gravity."""
    motions = (Revolute(_Z), Revolute(_Y), Revolute(_Y))
    return _chain("small_chain", motions, (0, 0, -9.81))


# state and joint forces at which the small chain is looked at [rad, rad/s, N·m]
SMALL_CHAIN_STATE = (
    np.array([0.3, -0.4, 0.5]),
    np.array([0.1, 0.2, -0.3]),
    np.array([1.0, 2.0, 3.0]),
)


@cache
def substitute_arm() -> Mechanism:
    """Three links, five freedoms, axes (z, y), y, (y, x), no gravity."""
    return _chain("substitute_arm", (Universal(_Z, _Y), Revolute(_Y), Universal(_Y, _X)), (0, 0, 0))


def scaling_chain(links: int, freedoms: int) -> Mechanism:
    """A chain of any number of links in space, with joints of one or two freedoms, no gravity.

    Axes of single joints alternate between y and z, so that the chain leaves every plane.

    Args:
        links: How many.
        freedoms: Of each joint, 1 or 2.
    """
    if links < 1 or freedoms not in (1, 2):
        raise InvalidInput(
            f"a chain of {links} links with {freedoms} freedoms a joint; expected at least one "
            "link, and 1 or 2 freedoms."
        )
    if freedoms == 2:
        motions: list[Motion] = [Universal(_Z, _Y)] * links
    else:
        motions = _crossed_hinges(links)
    return _chain(f"chain_{links}_of_{freedoms}", motions, (0, 0, 0))


def hanging_chain(links: int) -> Mechanism:
    """Links that begin stretched out level and fall, axes y and z in turn."""
    return _chain(f"hanging_chain_{links}", _crossed_hinges(links), (0, 0, -9.81))


def _crossed_hinges(count: int) -> list[Motion]:
    return [Revolute(_Y if k % 2 == 0 else _Z) for k in range(count)]


@final
@dataclass(frozen=True)
class Manoeuvre:
    """A motion of the substitute arm from rest to rest.

    Attributes:
        name: planar or spatial.
        begin: Where its joints begin [rad].
        turn: By how much they turn within `DURATION` [rad].
    """

    name: str
    begin: tuple[float, ...]
    turn: tuple[float, ...]

    @property
    def trajectory(self) -> Trajectory:
        """Positions, velocities and accelerations over time, on cycloids."""
        return cycloid(DURATION, self.begin, np.add(self.begin, self.turn))


PLANAR = Manoeuvre("planar", (0.0, 0.5, -0.9, 0.4, 0.0), (0.0, 1.0, -1.2, 0.6, 0.0))
SPATIAL = Manoeuvre("spatial", (0.2, 0.5, -0.9, 0.4, 0.1), (1.5, 1.0, -1.2, 0.6, 1.0))


def bent(joints: int, seed: int) -> tuple[Array, Array]:
    """Positions and velocities of a chain that is bent and moves, drawn anew for each seed."""
    draw = np.random.default_rng(seed)
    return draw.uniform(-1, 1, joints), draw.uniform(-1, 1, joints)

"""A planar four-bar in the xz-plane, to be closed in several ways."""

import numpy as np

from phalanx.mechanism import Body, Frame, Joint, Loop, Mechanism, Pose, Revolute

Y = np.array([0.0, 1.0, 0.0])
CRANK, COUPLER, ROCKER, GROUND = 0.2, 0.6, 0.5, 0.7
GUESS = np.array([-1.0, 1.0, -1.5])


def along_x(x: float) -> Pose:
    return Pose(translation=np.array([x, 0.0, 0.0]))


def bar(name: str, length: float, mass: float) -> Body:
    across = mass * length**2 / 12
    return Body(name, mass, np.array([length / 2, 0.0, 0.0]), np.diag([1e-4, across, across]))


def four_bar(closure) -> Mechanism:
    return Mechanism(
        "four_bar",
        [
            Body("ground"),
            bar("crank", CRANK, 1.0),
            bar("coupler", COUPLER, 2.0),
            bar("rocker", ROCKER, 1.5),
        ],
        [
            Joint("a", "ground", "crank", Revolute(axis=Y), along_x(0.0)),
            Joint("b", "crank", "coupler", Revolute(axis=Y), along_x(CRANK)),
            Joint("c", "ground", "rocker", Revolute(axis=Y), along_x(GROUND)),
        ],
        [
            Frame("coupler_end", "coupler", along_x(COUPLER)),
            Frame("rocker_end", "rocker", along_x(ROCKER)),
        ],
        [Loop("pin", "coupler_end", "rocker_end", closure)],
    )

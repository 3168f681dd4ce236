"""Linkages that lie flat on their way, and how they move by other means: in one coordinate."""

from dataclasses import dataclass

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

import phalanx as px
from phalanx.mechanism import Frame, Joint, Loop, PlanarPin, Pose, Revolute

LONG, SHORT = 2.0, 1.0
MASSES = (1.0, 2.0, 1.5)  # of crank, coupler and rocker
RADIUS = SHORT / 40
ALONG = np.array([1.0, -1.0, 1.0])  # joints of a parallelogram: its coupler stays level


def parallelogram() -> px.Mechanism:
    """Ground and coupler of 1 m, crank and rocker of 2 m; it may fold to an antiparallelogram."""
    return px.library.four_bar((SHORT, LONG, SHORT, LONG), MASSES)


@dataclass(frozen=True)
class OneCoordinate:
    """The parallelogram or antiparallelogram with the crank's angle as its only coordinate.

    Both are smooth through the flat posture: the rocker ends at the end of a level coupler, or at
    that mirrored on the diagonal from the crank's end to the rocker's hinge.
    """

    crossed: bool = False

    def rate(self) -> ca.Function:
        """``(angle, speed) -> acceleration`` by Lagrange's equation."""
        angle, speed = ca.SX.sym("angle"), ca.SX.sym("speed")
        T, V = self._energies(angle, speed)
        momentum = ca.gradient(T, speed)
        force = ca.gradient(T - V, angle) - ca.jtimes(momentum, angle, speed)
        return ca.Function("rate", [angle, speed], [force / ca.gradient(momentum, speed)])

    def motion(self, angle: float, speed: float, times: np.ndarray) -> np.ndarray:
        """Angles of the crank at some times."""
        rate = self.rate()
        solution = solve_ivp(
            lambda _, x: [x[1], float(rate(x[0], x[1]))],
            (0.0, times[-1]),
            [angle, speed],
            "DOP853",
            times,
            rtol=1e-12,
            atol=1e-12,
        )
        return solution.y[0]

    def posture(self, angle: float) -> np.ndarray:
        """Joint positions of the machine, whose zero is flat."""
        a = ca.SX.sym("a")
        found = ca.Function("places", [a], self._places(a)).call([angle])
        places = [x.full().ravel() for x in found]
        turns = [np.arctan2(*(b - a)[::-1]) for a, b in self._bars(places)]
        return np.array([turns[0], turns[1] - turns[0], turns[2]])

    def still(self, angle: float) -> float:
        """The speed with which the crank comes to rest when flat."""
        a, w = ca.SX.sym("a"), ca.SX.sym("w")
        energies = ca.Function("energies", [a, w], self._energies(a, w))
        T, V = energies(angle, 1.0)
        return float((energies(0.0, 0.0)[1] - V) / T) ** 0.5

    def _places(self, angle: ca.SX) -> list[ca.SX]:
        """Hinge and end of the crank, end of the coupler, hinge of the rocker."""
        hinge = ca.vertcat(SHORT, 0)
        knee = LONG * ca.vertcat(ca.cos(angle), ca.sin(angle))
        pin = knee + hinge
        if self.crossed:
            diagonal = (knee - hinge) / ca.norm_2(knee - hinge)
            pin = hinge + 2 * diagonal * ca.dot(diagonal, pin - hinge) - (pin - hinge)
        return [ca.SX.zeros(2, 1), knee, pin, hinge]

    @staticmethod
    def _bars(places):
        return [(places[0], places[1]), (places[1], places[2]), (places[3], places[2])]

    def _energies(self, angle: ca.SX, speed: ca.SX) -> list[ca.SX]:
        T, V = ca.SX(0), ca.SX(0)
        lengths = (LONG, SHORT, LONG)
        for m, length, (a, b) in zip(MASSES, lengths, self._bars(self._places(angle)), strict=True):
            da, db = (ca.jtimes(x, angle, speed) for x in (a, b))
            turn = ((b - a)[0] * (db - da)[1] - (b - a)[1] * (db - da)[0]) / length**2
            T += m / 6 * (ca.dot(da, da) + ca.dot(da, db) + ca.dot(db, db))
            T += m * RADIUS**2 / 8 * turn**2  # bars are round
            V += m * 9.81 * (a[1] + b[1]) / 2
        return [T, V]


def row_of_four_bars(count: int = 2) -> px.Mechanism:
    """Bars of 1 m and 1 kg on hinges 1 m apart, their tips joined by such bars."""
    across = np.array([0.0, -1.0, 0.0])
    bodies, joints, frames, loops = [px.Body("ground")], [], [], []

    def at(x):
        return Pose(translation=np.array([x, 0.0, 0.0]))

    def bar(name):
        return px.Body(name, 1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.0, 1.0, 1.0]) / 12)

    for i in range(count + 1):
        bodies.append(bar(f"post_{i}"))
        joints.append(Joint(f"post_{i}", "ground", f"post_{i}", Revolute(across), at(float(i))))
        frames.append(Frame(f"tip_{i}", f"post_{i}", at(1.0)))
        if i < count:
            bodies.append(bar(f"rod_{i}"))
            joints.append(Joint(f"rod_{i}", f"post_{i}", f"rod_{i}", Revolute(across), at(1.0)))
            frames.append(Frame(f"end_{i}", f"rod_{i}", at(1.0)))
            loops.append(Loop(f"loop_{i}", f"end_{i}", f"tip_{i + 1}", PlanarPin(across)))
    return px.Mechanism("row_of_four_bars", bodies, joints, frames, loops)

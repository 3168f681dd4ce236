"""Butcher tableaux of Runge-Kutta methods, see `runge_kutta`.

Reference:
    Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), tables II.1.1, II.1.2
    and II.5.2.
"""

from __future__ import annotations

from phalanx.simulation.integrators.runge_kutta import Tableau

EULER = Tableau("Euler", 1, c=(0.0,), a=((),), b=(1.0,))

CLASSIC = Tableau(
    "Runge and Kutta",
    4,
    c=(0.0, 0.5, 0.5, 1.0),
    a=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    b=(1.0, 2.0, 2.0, 1.0),
    over=6.0,
)

_R = 2.0**-0.5

GILL = Tableau(
    "Gill",
    4,
    c=(0.0, 0.5, 0.5, 1.0),
    a=((), (0.5,), (_R - 0.5, 1 - _R), (0.0, -_R, 1 + _R)),
    b=(1.0, 2 * (1 - _R), 2 * (1 + _R), 1.0),
    over=6.0,
)

DORMAND_PRINCE = Tableau(
    "Dormand and Prince",
    5,
    c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0),
    a=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    ),
    b=(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    error=(-71 / 57600, 0.0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),
    as_products=True,
)

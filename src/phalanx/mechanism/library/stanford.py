"""The Stanford arm, after Dhanaraj, M.Eng. thesis, Memorial University (1990).

Its third joint slides. The thesis lets q3 shift the fourth link only (d_4 = q3); here it moves the
third link, as the machine does (d_3 = q3). The third link's centre of mass is printed at +0.6447 m
and coded at -0.6447 m, which is used. Gravity is 9.8 m/s². Body frames are Craig's.
"""

from __future__ import annotations

from math import pi

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.body import Body
from phalanx.mechanism.library.stick_figures import with_stick_figure
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.read.denavit_hartenberg import DenavitHartenbergRow, from_denavit_hartenberg

GRAVITY = (0.0, 0.0, -9.8)

# Table 2.2
ROWS = (
    DenavitHartenbergRow(),
    DenavitHartenbergRow(alpha=-pi / 2, d=0.1524),
    DenavitHartenbergRow(alpha=pi / 2, prismatic=True),
    DenavitHartenbergRow(),
    DenavitHartenbergRow(alpha=-pi / 2),
    DenavitHartenbergRow(alpha=pi / 2),
)

# Table 2.7
MASSES = (9.29, 5.01, 4.25, 1.08, 0.63, 0.51)
COMS = (
    (0.0, -0.1165, -0.0175),
    (0.0, 0.0, -0.1054),
    (0.0, 0.0, -0.6447),
    (0.0, -0.0054, -0.0092),
    (0.0, -0.0566, 0.0),
    (0.0, 0.0, 0.1554),
)
# Table 2.8, about the centre of mass; Izz of link 3 is not given
MOMENTS = (
    (0.276, 0.071, 0.255),
    (0.108, 0.100, 0.018),
    (2.510, 2.510, 0.0),
    (0.002, 0.001, 0.001),
    (0.003, 0.0004, 0.003),
    (0.013, 0.013, 0.0003),
)
# Table 2.8, as the joints feel them [kg·m², kg for joint 3]; the gear ratios are not given
ROTOR_INERTIAS = (0.953, 2.193, 0.782, 0.106, 0.097, 0.020)
# Listing D.3: motors lumped into Izz, none on joint 3
LISTING_IZZ = (1.208, 2.211, 0.0, 0.107, 0.100, 0.0203)
# Listing D.3 of the three-joint arm: links 4 to 6 lumped into link 3
LISTING_HAND_AND_BOOM = 6.47


def stanford() -> Mechanism:
    """The six-joint arm with the numbers of Tables 2.2, 2.7 and 2.8.

    A motor's inertia acts on its own joint only (``rotor_inertia``).
    """
    links = [
        Body(f"link_{i}", mass, np.array(com), np.diag(moments))
        for i, (mass, com, moments) in enumerate(zip(MASSES, COMS, MOMENTS, strict=True), start=1)
    ]
    arm = from_denavit_hartenberg(
        "stanford", ROWS, links, rotor_inertias=ROTOR_INERTIAS, gravity=GRAVITY
    )
    return with_stick_figure(arm)


@checked
def stanford_listing(joints: int = 6) -> Mechanism:
    """The arm with the inertias of the listings D.3, motors lumped into Izz; 6 or 3 joints.

    No body has such inertias; they are here because the thesis's results use them. The geometry is
    the corrected one. The mass of link 1 has no effect and is left out, as in the listings.
    """
    if joints not in (3, 6):
        raise InvalidInput(f"the listings have 3 or 6 joints, got {joints}.")
    masses = [0.0, *MASSES[1:joints]]
    if joints == 3:
        masses[2] = LISTING_HAND_AND_BOOM
    links = [
        Body(f"link_{i + 1}", mass, np.array(COMS[i]), _listed_inertia(i), physical=False)
        for i, mass in enumerate(masses)
    ]
    arm = from_denavit_hartenberg("stanford_listing", ROWS[:joints], links, gravity=GRAVITY)
    return with_stick_figure(arm)


def _listed_inertia(i: int) -> np.ndarray:
    return np.diag([*MOMENTS[i][:2], LISTING_IZZ[i]])

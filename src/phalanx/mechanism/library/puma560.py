"""The Unimation PUMA 560 arm, after Dhanaraj, M.Eng. thesis, Memorial University (1990).

Three sets of numbers stand in the thesis. They are kept apart because its results use all of them:
the tables of chapter 2, the constants of the program listings D.2 and D.3, and those of the
three-joint program D.1.2. Gravity is 9.8 m/s², as in the thesis. Body frames are Craig's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.library.bars import check_numbers
from phalanx.mechanism.library.stick_figures import with_stick_figure
from phalanx.mechanism.library.visual_shapes import PUMA560, with_visual_shapes
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Pose
from phalanx.mechanism.read.denavit_hartenberg import DenavitHartenbergRow, from_denavit_hartenberg

GRAVITY = (0.0, 0.0, -9.8)

# Table 2.1
ROWS = (
    DenavitHartenbergRow(),
    DenavitHartenbergRow(alpha=-pi / 2, d=0.2435),
    DenavitHartenbergRow(a=0.4318, d=-0.0934),
    DenavitHartenbergRow(alpha=pi / 2, a=-0.0203, d=0.4331),
    DenavitHartenbergRow(alpha=-pi / 2),
    DenavitHartenbergRow(alpha=pi / 2),
)

# Table 2.5; the mass of link 1 has no effect on an arm whose base stands still and is not given
MASSES = (0.0, 17.40, 4.80, 0.82, 0.34, 0.09)
COMS = (
    (0.0, 0.0, 0.0),
    (0.0680, 0.0060, -0.0160),
    (0.0, -0.0700, 0.0140),
    (0.0, 0.0, -0.0190),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.032),
)
# Table 2.6, about the centre of mass. Links 5 and 6 are printed ten times larger; listing D.2
# and the measurements of Armstrong, Khatib and Burdick (1986) have the values used here. Link 1 has
# an inertia without a mass, and the measured moments of link 3 miss the triangle inequality by 9 %.
UNPHYSICAL = (1, 3)
INERTIAS = (
    (0.0, 0.0, 0.35),
    (0.130, 0.524, 0.539),
    (0.066, 0.0125, 0.086),
    (0.0018, 0.0018, 0.0013),
    (0.0003, 0.0003, 0.0004),
    (0.00015, 0.00015, 0.00004),
)
# Table 2.6, column I_motor: as the joint feels it. The gear ratios are not given, so the joints
# carry these numbers as rotor inertias with ratio 1.
ROTOR_INERTIAS = (1.14, 4.71, 0.83, 0.20, 0.179, 0.193)

# Listings D.2, D.3: shifted to the link origin (all but Ixx of link 3), motor lumped into Izz
LISTING_COMS = (
    (0.0, 0.0, 0.0),
    (-0.068, 0.0, 0.0),
    (0.0, -0.070, 0.0),
    (0.0, 0.0, -0.019),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.032),
)
LISTING_INERTIAS = (
    (0.0, 0.0, 1.490),
    (0.1351, 0.6089, 5.3301),
    (0.066, 0.0134, 0.9395),
    (0.0021, 0.0021, 0.2013),
    (0.0003, 0.0003, 0.1794),
    (0.0002422, 0.0002422, 0.1930),
)

# Program D.1.2: the wrist lumped into link 3, motor lumped into Izz
ARM_MASSES = (0.0, 17.40, 6.05)
ARM_COMS = ((0.0, 0.0, 0.0), (-0.068, 0.0, 0.0), (0.0, -0.07, 0.0))
ARM_INERTIAS = (
    (0.0, 0.0, 0.35 + 1.14),
    (0.130, 0.524, 0.539 + 4.71),
    (0.192, 0.0154, 0.212 + 0.83),
)
ARM_TIP = (0.0, -0.4318, 0.0)

# Table 3.4, joints 1 to 3
BEARING_FRICTION_COEFFICIENT = 0.1
BEARING_RADII = (0.10, 0.08, 0.07)
BREAK_AWAY_TORQUES = (6.3, 5.5, 2.6)
MAXIMUM_TORQUES = (97.6, 186.4, 89.4)
# Efficiency of a harmonic drive against torque as a share of the rated one. The curve of Fig. 3.4
# is lost; these points of it follow from the rows of Table 3.5.
EFFICIENCY_POINTS = ((0.007607, 0.34583), (0.030679, 0.45430), (0.085647, 0.56190))
UNLIMITED_WRIST = (np.inf, np.inf, np.inf)


def puma560() -> Mechanism:
    """The six-joint arm with the corrected numbers of Tables 2.1, 2.5, 2.6 and 3.4.

    A motor's inertia acts on its own joint only (``rotor_inertia``). Frame ``tool`` is at the
    flange, which Table 2.1 puts at the wrist centre.
    """
    arm = from_denavit_hartenberg(
        "puma560",
        ROWS,
        _links(MASSES, COMS, INERTIAS, unphysical=UNPHYSICAL),
        rotor_inertias=ROTOR_INERTIAS,
        effort_limits=(*MAXIMUM_TORQUES, *UNLIMITED_WRIST),
        gravity=GRAVITY,
    )
    return with_visual_shapes(_with_tool(arm, "link_6", (0.0, 0.0, 0.0)), PUMA560)


@checked
def puma560_listing(joints: int = 6) -> Mechanism:
    """The arm with the constants of listings D.2 and D.3, as printed; the first ``joints`` links.

    The inertias stand about the link origin but are used about the centre of mass, and contain
    the motors; no body has such numbers. They are here because the thesis's printed results do.
    """
    if not 1 <= joints <= len(ROWS):
        raise InvalidInput(f"the arm has 1 to {len(ROWS)} joints, got {joints}.")
    links = _links(MASSES, LISTING_COMS, LISTING_INERTIAS, unphysical=range(1, 7))
    arm = from_denavit_hartenberg("puma560_listing", ROWS[:joints], links[:joints], gravity=GRAVITY)
    return with_stick_figure(arm)


@checked
def puma560_arm(payload: float = 0.0) -> Mechanism:
    """The first three joints with the constants of program D.1.2, wrist and motors lumped.

    Args:
        payload: A point mass at the wrist centre [kg], combined by the parallel-axis theorem
            (the program counts its inertia twice).
    """
    check_numbers("an arm", payload=payload)
    links = _links(ARM_MASSES, ARM_COMS, ARM_INERTIAS, unphysical=range(1, 4))
    if payload:
        links[2] = _carrying(links[2], payload)
    arm = from_denavit_hartenberg("puma560_arm", ROWS[:3], links, gravity=GRAVITY)
    return _with_tool(arm, "link_3", ARM_TIP)


def _links(
    masses: Sequence[float],
    coms: Sequence[Sequence[float]],
    inertias: Sequence[Sequence[float]],
    *,
    unphysical: Sequence[int],
) -> list[Body]:
    return [
        Body(f"link_{i}", mass, np.array(com), np.diag(moments), physical=i not in unphysical)
        for i, (mass, com, moments) in enumerate(zip(masses, coms, inertias, strict=True), start=1)
    ]


def _carrying(link: Body, payload: float) -> Body:
    mass = link.mass + payload
    tip = np.array(ARM_TIP)
    com = (link.mass * link.com + payload * tip) / mass
    d = tip - link.com
    reduced = link.mass * payload / mass
    inertia = link.inertia + reduced * (d @ d * np.eye(3) - np.outer(d, d))
    return Body(link.name, mass, com, inertia, physical=link.physical)


def _with_tool(arm: Mechanism, body: str, place: Sequence[float]) -> Mechanism:
    tool = Frame("tool", body, Pose(translation=np.array(place)))
    return with_stick_figure(replace(arm, frames=[tool]))

"""The Unimation PUMA 600 arm, after Wong, PhD thesis, University of British Columbia (1991)."""

from __future__ import annotations

from phalanx.mechanism.library.hinges import HingedLink, hinged
from phalanx.mechanism.mechanism import Mechanism

# PUMA table of the thesis: Denavit-Hartenberg twists, masses, k, l (as the next link's hinge), J
LINKS = (
    HingedLink("link_1", 0, 10.521, (0, 0.054, 0), (1.6120, 0.5091, 1.6120)),
    HingedLink("link_2", -90, 15.781, (-0.14, 0, 0), (0.4898, 8.0783, 8.2672), (0, 0.203, 0)),
    HingedLink("link_3", 0, 8.767, (0, 0.197, 0), (3.3768, 0.3009, 3.3768), (0.292, 0, 0)),
    HingedLink("link_4", 90, 1.052, (0, 0, 0.057), (0.1810, 0.1810, 0.1273), (0.02, -0.235, 0)),
    HingedLink("link_5", -90, 1.052, (0, 0.007, 0), (0.0735, 0.0735, 0.1273), (0, 0, 0.057)),
    HingedLink("link_6", 90, 0.351, (0, 0, 0.019), (0.0071, 0.0071, 0.0141), (0, -0.049, 0)),
)


def puma600() -> Mechanism:
    """The six-joint arm of Wong's first simulation."""
    return hinged("puma600", LINKS)

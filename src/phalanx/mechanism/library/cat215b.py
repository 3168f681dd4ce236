"""The Caterpillar 215B excavator, after Wong, PhD thesis, University of British Columbia (1991)."""

from __future__ import annotations

import numpy as np

from phalanx.mechanism.library.hinges import Link, hinged
from phalanx.mechanism.library.looks import CAT215B, dressed
from phalanx.mechanism.mechanism import Frame, Mechanism
from phalanx.mechanism.pose import Pose

# excavator table of the thesis: twists, masses, k, l (as the next link's hinge), J
LINKS = (
    Link("cab", 0, 8031, (-1.05, 0.04, -0.5), (8000, 8000, 15700)),
    Link("boom", 90, 1830, (-2.3, -0.2, 0), (100, 15400, 15400), (0.35, -0.12, 0.5)),
    Link("stick", 0, 688, (-0.9, -0.1, 0), (10, 600, 600), (2.9, -0.2, 0)),
    Link("bucket", 0, 512, (-0.5, -0.5, 0), (130, 130, 130), (0.9, -0.1, 0)),
)


def cat215b() -> Mechanism:
    """Cab, boom, stick and bucket on a fixed undercarriage.

    Frame ``stick_tip`` is at the bucket's hinge, the point that the thesis's resolved mode moves.
    """
    stick = LINKS[2]
    tip = np.array(LINKS[3].hinge) - np.array(stick.k)
    frames = [Frame("stick_tip", "stick", Pose(translation=tip))]
    return dressed(hinged("cat215b", LINKS, frames), CAT215B)

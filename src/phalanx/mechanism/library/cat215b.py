"""The Caterpillar 215B excavator, after Wong, PhD thesis, University of British Columbia (1991).

The thesis gives masses and hinges. Where the teeth, the load and the operator's eye are was chosen
here: the teeth and the load so that the table's centre of mass lies in the bucket's shell, the eye
where the operator's head in the drawn cab is.
"""

from __future__ import annotations

import numpy as np

from phalanx.base.arguments import checked
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.edit import attach
from phalanx.mechanism.library.hinges import HingedLink, hinged
from phalanx.mechanism.library.visual_shapes import with_visual_shapes
from phalanx.mechanism.library.visual_shapes_excavator import CAT215B
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Pose

# excavator table of the thesis: twists, masses, k, l (as the next link's hinge), J
LINKS = (
    HingedLink("cab", 0, 8031, (-1.05, 0.04, -0.5), (8000, 8000, 15700)),
    HingedLink("boom", 90, 1830, (-2.3, -0.2, 0), (100, 15400, 15400), (0.35, -0.12, 0.5)),
    HingedLink("stick", 0, 688, (-0.9, -0.1, 0), (10, 600, 600), (2.9, -0.2, 0)),
    HingedLink("bucket", 0, 512, (-0.5, -0.5, 0), (130, 130, 130), (0.9, -0.1, 0)),
)

TEETH = (1.2, -0.1, 0.0)  # middle of the cutting edge, in the bucket [m]
BUCKET_CENTRE = (0.55, 0.35, 0.0)  # of a heaped load, in the bucket [m]
OPERATOR_EYE = (0.60, 0.75, 1.48)  # in the cab, left of the boom [m]


@checked
def cat215b(*, payload: bool = False) -> Mechanism:
    """Cab, boom, stick and bucket on a fixed undercarriage; the bucket is a hoe.

    Frame ``stick_tip`` is at the bucket's hinge, the point that the thesis's resolved mode moves;
    ``teeth`` is the middle of the cutting edge, ``bucket_centre`` where a load sits, and
    ``operator_eye`` in the cab looks along its x, z up.

    Args:
        payload: Whether a massless body ``payload`` rides at ``bucket_centre``, whose mass can be
            opened as parameter ``payload.mass``.
    """
    stick = LINKS[2]
    tip = np.array(LINKS[3].hinge) - np.array(stick.k)
    frames = [
        Frame("stick_tip", "stick", Pose(translation=tip)),
        Frame("teeth", "bucket", Pose(translation=np.array(TEETH))),
        Frame("bucket_centre", "bucket", Pose(translation=np.array(BUCKET_CENTRE))),
        Frame("operator_eye", "cab", Pose(translation=np.array(OPERATOR_EYE))),
    ]
    machine = with_visual_shapes(hinged("cat215b", LINKS, frames), CAT215B)
    return attach(machine, "bucket_centre", Body("payload")) if payload else machine

"""Numbers and poses as XML attributes, with all their digits."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from phalanx.mechanism.pose import Pose

# how a limit that is none is written: readers of URDF know no infinity, and take this for one
UNLIMITED = float(np.finfo(np.float64).max)


def text_of(numbers: ArrayLike) -> str:
    """Numbers with as many digits as bring them back to the last bit."""
    return " ".join(repr(x + 0.0) for x in np.ravel(np.asarray(numbers, dtype=float)).tolist())


def limit_text(number: float) -> str:
    """A limit; where it is infinite, the largest number."""
    return text_of(np.clip(number, -UNLIMITED, UNLIMITED))


def add_origin(element: Element, pose: Pose) -> None:
    """The place of something, unless it is where its parent is."""
    rpy = pose.rpy
    if pose.translation.any() or rpy.any():
        SubElement(element, "origin", xyz=text_of(pose.translation), rpy=text_of(rpy))

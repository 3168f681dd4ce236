"""Tolerance analysis of a Stewart platform: errors in the lengths of its legs.

No leg is as long as its drive believes: scales, mounts and heat add a part of a millimetre each.
The loops are closed anew with the legs held at their wrong lengths, so that nothing is linearised,
and the platform is where it really would be.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import Mechanism, library
from phalanx.mechanism.library.stewart import LEGS

NAMES = tuple(f"leg_{k}" for k in LEGS)


def platform_error(case: Mapping[str, float]) -> dict[str, float]:
    """How far a Stewart platform is from where it should be.

    Args:
        case: ``leg_1`` to ``leg_6``, by how much each leg is too long [m]; none where missing.

    Returns:
        Its displacement ``x``, ``y``, ``z`` and their length ``shift`` [m], and the angle ``tilt``
        by which it is turned [rad].

    Raises:
        OpenLoop: When no posture fits these lengths.
    """
    machine = _stewart()
    q = machine.neutral()
    for name in NAMES:
        q[machine.q_slices[name]] = case.get(name, 0.0)
    found = assemble(machine, q, held=NAMES)
    platform = found.q[machine.q_slices["platform"]]
    x, y, z = (float(p) for p in platform[:3])
    axis, cosine = platform[3:6], platform[6]
    tilt = 2 * float(np.arctan2(np.linalg.norm(axis), abs(cosine)))
    return {"x": x, "y": y, "z": z, "shift": float(np.linalg.norm(platform[:3])), "tilt": tilt}


@cache
def _stewart() -> Mechanism:
    return library.stewart()

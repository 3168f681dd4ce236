"""Unphysical inertias in model files.

Every fifth published robot has some: moments typed by hand, a sensor of 1e-6 kg, a CAD export about
the wrong point. The equations of motion need less than a real body: the mass matrix is positive
definite as long as every rigid lump that moves has no negative mass or principal moment. Readers
therefore keep such bodies as written and report them, and refuse only what breaks the equations.
"""

from __future__ import annotations

import numpy as np

from phalanx.base.errors import InvalidModel
from phalanx.mechanism.body import NO_INERTIA, RELATIVE_ROUNDING, Body, Visual
from phalanx.mechanism.edit import merge_fixed
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Array


def body_as_written(
    name: str, mass: float, com: Array, inertia: Array, visuals: tuple[Visual, ...]
) -> Body:
    """The body, marked unphysical when no distribution of mass has its inertia."""
    try:
        return Body(name, mass, com, inertia, visuals)
    except InvalidModel:
        # raises again for what is worse than that: a negative mass, a NaN
        return Body(name, mass, com, inertia, visuals, physical=False)


def check_unphysical(mechanism: Mechanism) -> list[str]:
    """Names of the unphysical bodies.

    Raises:
        InvalidModel: When what moves as one has a negative principal moment.
    """
    names = [body.name for body in mechanism.bodies if not body.physical]
    if not names:
        return []
    for lump in merge_fixed(mechanism).bodies[1:]:
        if not np.isfinite(lump.inertia).all():
            raise InvalidModel(
                f"the inertia of body '{lump.name}' and all that is fixed to it is not finite."
            )
        smallest = np.linalg.eigvalsh(lump.inertia)[0]
        if smallest < -max(RELATIVE_ROUNDING * np.abs(lump.inertia).max(), NO_INERTIA):
            raise InvalidModel(
                f"the inertia of body '{lump.name}' and all that is fixed to it has a negative "
                f"principal moment ({smallest:.4g} kg·m²); the mass matrix would not be positive. "
                "Mend it in the file."
            )
    return names

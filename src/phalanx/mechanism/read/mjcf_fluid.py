"""The fluid of a compiled MuJoCo model."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.mechanism.fluid import LEAST, Fluid, FluidBox
from phalanx.mechanism.read.mjcf_names import BODY, name_of, pose_of
from phalanx.mechanism.read.report import Remark, Unsupported


def fluid_of(model: Any) -> tuple[Fluid | None, list[Remark]]:
    """The fluid with a box for each body, and what is not honoured of it.

    Principal axes are MuJoCo's: where two moments are equal, drag depends on which were chosen.
    """
    density, viscosity = float(model.density), float(model.viscosity)
    if not (density or viscosity):
        return None, []
    heavy = [i for i in range(1, len(model.body_mass)) if model.body_mass[i] >= LEAST]
    boxes = [
        FluidBox.of_inertia(
            name_of(model, BODY, i),
            float(model.body_mass[i]),
            model.body_inertia[i],
            pose_of(model.body_ipos[i], model.body_iquat[i]),
        )
        for i in heavy
    ]
    shaped = {int(model.geom_bodyid[g]) for g in np.flatnonzero(model.geom_fluid[:, 0] > 0)}
    ellipsoids = [name_of(model, BODY, i) for i in heavy if i in shaped]
    remark = Unsupported("fluidshape=ellipsoid, drag is that of the inertia box", ellipsoids)
    return Fluid(density, viscosity, model.wind, boxes), [remark]

"""Parts of a MuJoCo model that Phalanx does not support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.mechanism.read.mjcf_contacts import colliding_geoms
from phalanx.mechanism.read.mjcf_names import BODY, SENSOR, TENDON, name_of
from phalanx.mechanism.read.report import Remark, Unsupported

# mjtIntegrator of MuJoCo's header
INTEGRATORS = dict(enumerate(("Euler", "RK4", "implicit", "implicitfast")))


def unsupported_parts(model: Any, parts: Sequence[Element]) -> list[Remark]:
    """Contacts, sensors, limits of tendons and the like, by name or number.

    Args:
        model: The compiled model.
        parts: The root elements of the model and of what it includes.
    """

    def names(kind: str, flags: Any) -> list[str]:
        return [name_of(model, kind, int(i)) for i in np.flatnonzero(flags)]

    geoms, flexes, plugins = colliding_geoms(model), len(model.flex_dim), len(model.plugin)
    is_run = any(
        set(x.attrib) & {"timestep", "integrator"} for p in parts for x in p.iter("option")
    )
    chosen = (
        f"{float(model.timestep):g} s, {INTEGRATORS.get(number := int(model.integrator), number)}"
    )
    keys = sum(len(list(part.iter("key"))) for part in parts)
    return [
        Unsupported("contacts", [f"{geoms} geoms that can collide"] if geoms else []),
        Unsupported("sensors", names(SENSOR, np.ones(len(model.name_sensoradr)))),
        Unsupported("limits of tendons", names(TENDON, model.tendon_limited)),
        Unsupported("gravity compensation", names(BODY, model.body_gravcomp)),
        Unsupported("motion of mocap bodies", names(BODY, model.body_mocapid >= 0)),
        Unsupported("flexible bodies", [str(flexes)] if flexes else []),
        Unsupported("plugins", [str(plugins)] if plugins else []),
        Unsupported("sleeping bodies", ["flag sleep"] if model.sleeps else []),
        Unsupported("timestep and integrator, which a run chooses", [chosen] * is_run, quiet=True),
        Unsupported("keyframes", [str(keys)] if keys else [], quiet=True),
    ]

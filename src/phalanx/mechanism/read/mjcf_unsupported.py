"""Parts of a MuJoCo model that Phalanx does not support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.mechanism.read.mjcf_names import BODY, SENSOR, TENDON, name_of
from phalanx.mechanism.read.report import Remark, Unsupported

# geoms up to which all pairs are looked at; of more, those that any other may touch count
MOST_GEOMS = 2000


def colliding_geoms(model: Any) -> int:
    """How many geoms MuJoCo would find contacts of, by its masks, filters and pairs.

    Geoms of one rigid lump never touch, nor do those of a lump and the one it hangs on, unless that
    is the world.
    """
    if model.contacts_disabled:
        return 0
    gives, takes = model.geom_contype, model.geom_conaffinity
    active = np.flatnonzero((gives != 0) | (takes != 0))
    touching = {*model.pair_geom1.tolist(), *model.pair_geom2.tolist()}
    if len(active) > MOST_GEOMS:
        return len(touching.union(active.tolist()))
    gives, takes, body = gives[active], takes[active], model.geom_bodyid[active]
    lump = model.body_weldid[body]
    above = model.body_weldid[model.body_parentid[lump]]
    excluded = set(model.exclude_signature.tolist())
    for k, g in enumerate(active.tolist()):
        meets = ((gives[k] & takes) | (takes[k] & gives)) != 0
        meets &= lump != lump[k]
        if model.parents_filtered:
            moving = (lump[k] != 0) & (lump != 0)
            meets &= ~(moving & ((above == lump[k]) | (lump == above[k])))
        others = np.flatnonzero(meets)
        if excluded:
            pairs = ((min(body[k], body[x]), max(body[k], body[x])) for x in others.tolist())
            if all((int(a) << 16) + int(b) in excluded for a, b in pairs):
                continue
        if len(others):
            touching.add(g)
    return len(touching)


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

"""Contact filtering: which geoms of a compiled MuJoCo model can touch."""

from __future__ import annotations

from typing import Any

import numpy as np

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

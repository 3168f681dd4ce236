"""Terrain snapshots in recordings: what differs from level ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput, PhalanxError
from phalanx.ground.dig_site import DigSite
from phalanx.ground.soil import Soil
from phalanx.ground.terrain import Terrain

MOST_POINTS = 4_000_000  # of a grid that a file may ask for


def terrain_facts(terrain: Terrain) -> dict[str, Any]:
    """All of a terrain, in words and numbers that JSON has.

    Heights are those of firm ground; most points have the same one, and no loose soil.
    """
    firm, loose = terrain.firm, terrain.loose
    level = float(np.median(firm))
    (places,) = np.nonzero((firm != level).ravel() | (loose > 0).ravel())
    return {
        "soil": asdict(terrain.soil),
        "cell": terrain.cell,
        "corner": list(terrain.corner),
        "shape": list(firm.shape),
        "level": level,
        "places": places.tolist(),
        "firm": firm.ravel()[places].tolist(),
        "loose": loose.ravel()[places].tolist(),
    }


def site_facts(site: DigSite) -> dict[str, Any]:
    """A site's terrain, and the load that was in the bucket when it became so."""
    return {**terrain_facts(site.terrain), "load": site.load}


def load_from(facts: Any) -> float | None:
    """The load that was kept with a terrain [kg], if one was.

    Raises:
        InvalidInput: When it is no load.
    """
    load = facts.get("load") if isinstance(facts, Mapping) else None
    if load is None:
        return None
    if isinstance(load, bool) or not isinstance(load, int | float) or not 0 <= load < np.inf:
        raise InvalidInput(f"the load kept with a terrain is {load!r}; expected a number of kg.")
    return float(load)


def terrain_from(facts: Any) -> Terrain:
    """The terrain that was kept.

    Raises:
        InvalidInput: When these are not the facts of one.
    """
    try:
        if not isinstance(facts, Mapping):
            raise TypeError("no table")
        nx, ny = (int(size) for size in facts["shape"])
        if not (1 < nx and 1 < ny and nx * ny <= MOST_POINTS):
            raise ValueError(f"a grid of {nx} by {ny} points")
        places = np.asarray(facts["places"], np.int64)
        firm, loose = np.full(nx * ny, float(facts["level"])), np.zeros(nx * ny)
        firm[places] = np.asarray(facts["firm"], float)
        loose[places] = np.asarray(facts["loose"], float)
        x, y = facts["corner"]
        return Terrain(
            firm.reshape(nx, ny),
            float(facts["cell"]),
            (float(x), float(y)),
            Soil(**facts["soil"]),
            loose=loose.reshape(nx, ny),
        )
    except (KeyError, IndexError, TypeError, ValueError, PhalanxError) as error:
        raise InvalidInput(
            f"the terrain that was kept cannot be read: {error}; expected what a live recording "
            "of an excavator has under 'terrain'."
        ) from error

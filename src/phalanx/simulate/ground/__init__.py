"""Soil that a bucket digs in; beyond the sources, and only in runs that ask for it."""

from phalanx.simulate.ground.bucket import Bucket
from phalanx.simulate.ground.ground import Ground
from phalanx.simulate.ground.patches import Patch, Patches
from phalanx.simulate.ground.site import Site
from phalanx.simulate.ground.soil import CLAY, LOAM, SAND, SOILS, Soil
from phalanx.simulate.ground.terrain import Terrain

__all__ = [
    "CLAY",
    "LOAM",
    "SAND",
    "SOILS",
    "Bucket",
    "Ground",
    "Patch",
    "Patches",
    "Site",
    "Soil",
    "Terrain",
]

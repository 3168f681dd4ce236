from phalanx.ground.bucket import Bucket
from phalanx.ground.dig_site import Site
from phalanx.ground.ground import Ground
from phalanx.ground.patches import Patch, Patches
from phalanx.ground.soil import CLAY, LOAM, SAND, SOILS, Soil
from phalanx.ground.terrain import Terrain

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

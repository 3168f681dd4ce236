from phalanx.ground.bucket import Bucket
from phalanx.ground.dig_site import DigSite
from phalanx.ground.ground import Ground
from phalanx.ground.patches import Patch, Patches
from phalanx.ground.soil import CLAY, LOAM, SAND, SOILS, Soil
from phalanx.ground.terrain import Terrain

__all__ = [
    # digging
    "DigSite",
    "Bucket",
    "Ground",
    # soil
    "Soil",
    "SOILS",
    "SAND",
    "LOAM",
    "CLAY",
    # terrain
    "Terrain",
    "Patch",
    "Patches",
]

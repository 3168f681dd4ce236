"""Soil that a bucket digs in; beyond the sources, and only in runs that ask for it."""

from phalanx.simulate.ground.bucket import Bucket
from phalanx.simulate.ground.ground import Ground
from phalanx.simulate.ground.soil import CLAY, LOAM, SAND, Soil

__all__ = ["CLAY", "LOAM", "SAND", "Bucket", "Ground", "Soil"]

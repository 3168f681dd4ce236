"""What soil adds to reports: it takes energy that nobody counts."""

from phalanx.simulation.extensions import Extension

EXTENSION = Extension(uncounted=("soil_load",))

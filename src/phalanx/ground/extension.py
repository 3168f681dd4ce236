"""Extension with soil's part of reports: it takes energy that is not balanced."""

from phalanx.simulation.extensions import Extension

EXTENSION = Extension(uncounted=("soil_load",))

"""Visualization: plots, animations, and 3-D views and control pages in the browser."""

from phalanx.view.plots.animation import animate
from phalanx.view.plots.draw import draw, save
from phalanx.view.viewer.viewer import Viewer

__all__ = ["Viewer", "animate", "draw", "save"]
__dir__ = __all__.copy

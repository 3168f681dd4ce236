"""Pictures of machines, still, moving, and in the browser."""

from phalanx.view.animation import animate
from phalanx.view.draw import draw, save
from phalanx.view.viewer import Viewer

__all__ = ["Viewer", "animate", "draw", "save"]
__dir__ = __all__.copy

"""Pictures of machines, still and in the browser."""

from phalanx.view.draw import draw, save
from phalanx.view.viewer import Viewer

__all__ = ["Viewer", "draw", "save"]
__dir__ = __all__.copy

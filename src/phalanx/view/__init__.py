"""Pictures of machines."""

from phalanx.view.draw import draw, save

__all__ = ["draw", "save"]

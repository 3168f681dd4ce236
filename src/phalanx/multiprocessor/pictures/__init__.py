"""Gantt charts, space-time diagrams and speed-up plots of plans."""

from phalanx.multiprocessor.pictures.gantt import write_figure
from phalanx.multiprocessor.pictures.gantt_page import write_page
from phalanx.multiprocessor.pictures.space_time_figure import write_space_time_figure
from phalanx.multiprocessor.pictures.space_time_page import write_space_time_page
from phalanx.multiprocessor.plans.drawings import DRAWERS, SPACE_TIME_DRAWERS

DRAWERS.update({".svg": write_figure, ".png": write_figure, ".pdf": write_figure})
DRAWERS[".html"] = write_page
SPACE_TIME_DRAWERS.update(dict.fromkeys((".svg", ".png", ".pdf"), write_space_time_figure))
SPACE_TIME_DRAWERS[".html"] = write_space_time_page

__all__ = ["write_figure", "write_page", "write_space_time_figure", "write_space_time_page"]
__dir__ = __all__.copy

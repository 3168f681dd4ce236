"""Plans and what they are worth, drawn."""

from phalanx.multiprocessor.pictures.gantt import write_figure
from phalanx.multiprocessor.pictures.gantt_page import write_page
from phalanx.multiprocessor.plans.drawings import DRAWERS

DRAWERS.update({".svg": write_figure, ".png": write_figure, ".pdf": write_figure})
DRAWERS[".html"] = write_page

__all__ = ["write_figure", "write_page"]
__dir__ = __all__.copy

"""Khan (2002): the equations of the thesis as it writes them, beside those of the engine.

Reference:
    Khan, M.Eng. thesis, McGill University (2002): modular and distributed forward dynamics of
    closed chains, on a planar 3-RRR.
"""

from phalanx.mechanism.library.planar_3rrr import PERIOD, TURNS
from phalanx.studies.khan.printed_projection import PrintedProjection

__all__ = ["PERIOD", "TURNS", "PrintedProjection"]
__dir__ = __all__.copy

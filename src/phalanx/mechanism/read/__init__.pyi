from phalanx.mechanism.read.denavit_hartenberg import (
    Convention,
    DenavitHartenbergRow,
    Motor,
    from_denavit_hartenberg,
)
from phalanx.mechanism.read.model_file import load
from phalanx.mechanism.read.report import ModelWarning

__all__ = [
    "Convention",
    "DenavitHartenbergRow",
    "ModelWarning",
    "Motor",
    "from_denavit_hartenberg",
    "load",
]

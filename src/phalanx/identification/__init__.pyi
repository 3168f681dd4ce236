# The public names and where each is defined; base/lazy_imports.py loads them when asked for.

from phalanx.identification.base import BaseParameters, base_parameters
from phalanx.identification.estimate import Fit, Identification
from phalanx.identification.estimation import identify
from phalanx.identification.excitations import Excitation, excitation
from phalanx.identification.least_squares import NotExciting
from phalanx.identification.measurements import Measurements, read_measured
from phalanx.identification.payloads import Payload, payload

__all__ = [
    # parameters
    "identify",
    "Identification",
    "Fit",
    "Measurements",
    "read_measured",
    # motions that show them
    "excitation",
    "Excitation",
    "NotExciting",
    # what can be seen
    "base_parameters",
    "BaseParameters",
    # payloads
    "payload",
    "Payload",
]

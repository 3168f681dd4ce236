"""Phalanx: parallel dynamics of robots and machines in Python."""

from phalanx.base.lazy_imports import names_of_stub
from phalanx.base.notebook import draws
from phalanx.simulation.extensions import offer

__getattr__, __dir__, __all__ = names_of_stub(__name__)

# special machines that come with the package
offer("phalanx.ground.extension")
offer("phalanx.machines.excavator.extension")
offer("phalanx.studies.extension")

# what draws data that does not know who does
draws("Mechanism", "phalanx.view.notebook:mechanism_page")

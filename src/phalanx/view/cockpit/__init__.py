"""A machine's cockpit in the browser: sticks, live plots and a window on the machine."""

from phalanx.view.cockpit.cockpit import Cockpit
from phalanx.view.cockpit.instruments import Instruments
from phalanx.view.cockpit.machine import CockpitMachine, Telemetry

__all__ = ["Cockpit", "CockpitMachine", "Instruments", "Telemetry"]
__dir__ = __all__.copy

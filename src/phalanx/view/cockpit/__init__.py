"""Cockpit: a browser page that operates a machine with joysticks, live plots and a 3-D view."""

from phalanx.view.cockpit.cockpit import Cockpit
from phalanx.view.cockpit.instruments import Instruments
from phalanx.view.cockpit.machine import CockpitMachine, Telemetry

__all__ = ["Cockpit", "CockpitMachine", "Instruments", "Telemetry"]
__dir__ = __all__.copy

"""TODO simulation/integrators."""

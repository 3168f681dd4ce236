"""TODO simulation/setup/forces."""

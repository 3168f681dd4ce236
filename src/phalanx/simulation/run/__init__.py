"""TODO simulation/run."""

"""TODO simulation/batch."""

"""TODO simulation/setup."""

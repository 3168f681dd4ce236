"""Simulation of machines of any length by traversal: steps over arrays of bodies."""

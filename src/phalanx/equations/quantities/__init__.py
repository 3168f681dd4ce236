"""Quantities of a machine in a state: kinematics, energy, forces."""

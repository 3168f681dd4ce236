"""Clocked cells, such as those of a systolic array: description, checks, simulation."""

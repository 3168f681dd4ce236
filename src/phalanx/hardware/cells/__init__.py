"""Cells that act in lock with a clock, such as those of a systolic array."""

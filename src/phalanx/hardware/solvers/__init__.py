"""Systolic solvers: arrays of cells that solve A x = b while A and b stream through them.

`systolic_solve` feeds a system to the array of a method and lets it run, tick by tick, with values.
"""

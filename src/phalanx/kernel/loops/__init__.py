"""Compiled loops over a step, without the interpreter: as fast as possible, or in real time."""

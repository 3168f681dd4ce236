"""Runs of machines of any length: steps over arrays of bodies, without equations of the whole."""

"""Sweeps as pictures and as a page."""

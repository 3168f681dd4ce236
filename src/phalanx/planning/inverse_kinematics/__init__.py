"""Postures that bring frames to where they are wanted: equations, the search, its front door."""

"""Quantities of long machines: walks over their bodies behind the same calls."""

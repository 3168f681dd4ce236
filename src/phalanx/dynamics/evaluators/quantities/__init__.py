"""Quantities of machines of any length, each a program of walks over the nodes."""

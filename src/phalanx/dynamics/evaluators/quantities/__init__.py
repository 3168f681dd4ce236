"""Quantities of machines of any length, each a program of passes over the nodes."""

"""Quantities of machines of any length, each a recursion over the nodes."""

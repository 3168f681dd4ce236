"""Numeric functions of loops: null-space bases, consistency, forces, conditioning."""

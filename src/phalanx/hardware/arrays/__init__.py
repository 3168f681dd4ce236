"""Systolic arrays of vector operators for inverse dynamics (Lathrop, 1983)."""

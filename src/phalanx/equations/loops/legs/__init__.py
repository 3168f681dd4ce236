"""Parallel robots (platforms on legs): recursions within each leg."""

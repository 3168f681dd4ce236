"""Platforms on legs: recursions within each leg."""

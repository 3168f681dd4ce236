"""Dynamics of machines with loops; one file a method."""

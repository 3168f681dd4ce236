"""Mechanisms to model files that other programs read."""

"""Paths: between postures, through points, along lines and arcs; sampled and followed."""

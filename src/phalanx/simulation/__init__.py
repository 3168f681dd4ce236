"""Simulation: runs of machines over time, batches, real time, recordings."""

"""Motions before they are run: postures for targets, paths, trajectories and their timing."""

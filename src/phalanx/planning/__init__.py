"""Motions before they are run: postures for targets, paths q(s), trajectories q(t) and their timing."""

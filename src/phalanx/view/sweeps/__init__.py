"""Plots and HTML reports of sweeps."""

"""Plots and animations of machines and runs, without a browser."""

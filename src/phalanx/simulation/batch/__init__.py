"""Rollouts: thousands of runs in one compiled loop."""

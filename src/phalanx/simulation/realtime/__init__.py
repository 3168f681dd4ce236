"""Runs in step with the clock: pacing, timing, and states for slow consumers."""

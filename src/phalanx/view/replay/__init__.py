"""Replay of a recorded run in the browser."""

"""Machines with loops on several nodes: parts, or moments of a motion."""

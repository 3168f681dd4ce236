"""Inverse kinematics: tasks, closed loops, limits, batched search."""

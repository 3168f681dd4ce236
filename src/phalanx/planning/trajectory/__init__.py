"""Trajectory tables: rows and their torques, edited, checked and slowed down; optimal timing."""

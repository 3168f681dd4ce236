"""Machines over time: runs, and what they leave behind."""

"""Schedules carried out on processes, message for message, over the wires of the schedule."""

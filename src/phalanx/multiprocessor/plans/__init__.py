"""Schedules (plans): validation, measures, pipelining, execution with numbers, files."""

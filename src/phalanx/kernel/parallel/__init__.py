"""Parallel execution of one graph on several threads with shared memory."""

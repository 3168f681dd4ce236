"""Recordings: signals over time, kept in memory and in files, exported and compared."""

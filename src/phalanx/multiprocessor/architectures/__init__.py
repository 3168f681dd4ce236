"""Computers that are built for one purpose, with the tasks that they were built for."""

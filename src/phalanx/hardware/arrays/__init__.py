"""Computers built for one purpose, with their tasks: arrays of vector operators, the mesh."""

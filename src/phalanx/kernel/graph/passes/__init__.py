"""Compiler passes, graph to graph: each has a name and leaves a graph that can be verified."""

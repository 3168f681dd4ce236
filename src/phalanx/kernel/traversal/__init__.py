"""Compiled tree traversal: a step from node to node, over arrays of any length."""

"""Traversal of bodies as arrays: quantities of trees of any length."""

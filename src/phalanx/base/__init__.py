"""Foundations: errors, argument validation, guarded files, lazy imports."""

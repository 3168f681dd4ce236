"""Quantities beside inverse dynamics in named vector operations, for arrays of operators."""

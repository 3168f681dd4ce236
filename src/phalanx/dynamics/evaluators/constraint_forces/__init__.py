"""Constraint-force methods of forward dynamics: A f = b, solved directly or by iteration."""

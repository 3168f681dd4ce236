"""Scalar programs as data: read from CasADi, rewritten pass by pass, counted."""

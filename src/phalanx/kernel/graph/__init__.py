"""Expression graphs of scalar operations: read from CasADi, rewritten by passes, counted."""

"""Task graphs whose tasks can be evaluated."""

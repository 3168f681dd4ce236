"""Plans as pictures and pages."""

"""TODO view/reports."""

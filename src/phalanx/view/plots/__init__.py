"""TODO view/plots."""

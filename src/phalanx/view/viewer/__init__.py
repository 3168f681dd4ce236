"""TODO view/viewer."""

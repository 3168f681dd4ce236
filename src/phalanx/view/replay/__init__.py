"""TODO view/replay."""

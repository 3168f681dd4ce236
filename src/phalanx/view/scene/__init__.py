"""TODO view/scene."""

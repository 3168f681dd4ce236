"""TODO distribute/programs."""

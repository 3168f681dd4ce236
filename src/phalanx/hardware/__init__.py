"""TODO hardware."""

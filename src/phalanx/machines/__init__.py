"""TODO machines."""

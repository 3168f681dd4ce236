"""Special machines, built on the general parts."""

"""Plans on the threads of this machine."""

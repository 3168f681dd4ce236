"""Co-simulation of machines with loops: branches, or time samples, on a process each."""

"""What can be said of a machine in a state: places and velocities of frames, energy, forces."""

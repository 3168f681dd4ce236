"""Motion planning: inverse kinematics, paths, trajectories and their timing."""

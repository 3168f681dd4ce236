"""What runs: machine, control laws, forces, events, parameters, subsystem states."""

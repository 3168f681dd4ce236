"""Setup of a run: machine, control laws, forces, events, parameters, subsystem states."""

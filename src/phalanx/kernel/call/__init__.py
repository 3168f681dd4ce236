"""The door of a kernel: arrays in, arrays out, from Python and on threads."""

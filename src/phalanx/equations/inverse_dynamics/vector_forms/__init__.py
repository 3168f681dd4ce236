"""Newton-Euler in vector operations, each with the name that its source gives it."""

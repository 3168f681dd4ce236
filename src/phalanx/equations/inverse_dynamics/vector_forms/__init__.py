"""Newton-Euler in vector operations (linear and logarithmic forms), named as in the source."""

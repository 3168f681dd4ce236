"""Ways to step through time: fixed and adaptive methods, tables of Runge-Kutta coefficients."""

"""Integrators: fixed-step and adaptive methods, Runge-Kutta tableaux."""

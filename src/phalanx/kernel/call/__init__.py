"""Calling convention of kernels: NumPy arrays in and out, from Python and on threads."""

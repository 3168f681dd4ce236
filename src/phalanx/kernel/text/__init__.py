"""A program as source text for other compilers: C and Fortran."""

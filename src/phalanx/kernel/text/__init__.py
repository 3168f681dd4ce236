"""Source code generation for other compilers: C and Fortran."""

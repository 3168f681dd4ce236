"""Arrays of vector operators: who does which step of inverse dynamics, and when."""

"""A step taken many times without the interpreter: as fast as possible, or by the clock."""

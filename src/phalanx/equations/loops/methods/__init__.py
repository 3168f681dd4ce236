"""TODO equations/loops/methods."""

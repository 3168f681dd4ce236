"""Web scene of a machine: shapes, springs, terrain, floor, camera."""

"""A machine in a web scene: shapes, springs, ground, floor, camera."""

"""Forward dynamics by the forces in the joints: A f = b, solved directly or by iteration."""

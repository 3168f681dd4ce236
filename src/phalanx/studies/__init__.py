"""What reproduces the tables of a published source, for who wants to compare with it."""

"""When and where tasks run: plans, checked, measured, carried out with numbers, kept in files."""

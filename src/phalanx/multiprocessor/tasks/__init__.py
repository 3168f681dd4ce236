"""Work cut into tasks that can be evaluated."""

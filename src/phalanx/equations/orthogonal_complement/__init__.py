"""Natural orthogonal complement of trees: bodies about their centres of mass, and H."""

"""Dynamics of trees by an orthogonal complement: bodies about their centres of mass, and H."""

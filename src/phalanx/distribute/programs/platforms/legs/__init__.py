"""A platform on legs, cut between its legs and a centre."""

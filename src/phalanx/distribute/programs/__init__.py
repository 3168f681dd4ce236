"""Programs on processes: platforms with loops, chains, plans."""

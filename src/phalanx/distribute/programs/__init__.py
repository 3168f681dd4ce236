"""Jobs of machines on processes: platforms with loops, chains, schedules."""

"""Assembly of closed loops: postures, ranks, free joints, frame offsets."""

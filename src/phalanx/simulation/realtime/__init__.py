"""Real-time runs: pacing, timing, and states for slow consumers."""

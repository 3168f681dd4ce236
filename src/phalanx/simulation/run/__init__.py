"""Single runs: plant, steps, inputs, failures."""

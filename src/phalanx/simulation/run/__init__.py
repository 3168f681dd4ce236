"""One run: equations with all that acts, steps, inputs, failures."""

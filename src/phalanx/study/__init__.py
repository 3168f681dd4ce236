"""Studies: what methods make of the same task, measured."""

"""Many cases of one study, in chunks, here or on a cluster."""

"""Forces of joints and fluids that act in runs; one file a kind."""

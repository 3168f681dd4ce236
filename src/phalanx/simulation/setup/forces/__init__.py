"""Joint and fluid forces in runs; one file a kind."""

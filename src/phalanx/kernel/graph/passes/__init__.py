"""Graph to graph: each pass has a name and leaves a graph that can be checked and shown."""

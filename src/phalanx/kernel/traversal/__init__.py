"""Steps taken from node to node of a tree, over arrays of any length."""

"""Chains shared out as segments of consecutive bodies, a node each: forces by iteration.

A node builds the rows of its bodies, tells its neighbours what these need of them, and takes part
in a few sums over all nodes. Nothing else travels.
"""

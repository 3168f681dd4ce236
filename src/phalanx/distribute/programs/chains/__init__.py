"""Chains and trees divided into segments: joint forces by distributed iterations.

A process builds the rows of its bodies, exchanges halo values with its neighbours, and takes part
in a few sums over all processes. Nothing else travels.
"""

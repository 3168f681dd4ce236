"""Loops as numbers: free directions, motions that fit, forces, how strongly loops hold."""

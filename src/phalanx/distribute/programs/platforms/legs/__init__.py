"""Recursive method (DeNOC) divided between the legs of a platform and a centre."""

"""Phalanx: parallel dynamics of robots and machines in Python."""

"""Parallel scan over one chain: segments of articulated bodies, joined in logarithmic depth."""

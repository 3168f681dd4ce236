"""One chain in logarithmic depth: segments of articulated bodies, joined in pairs."""

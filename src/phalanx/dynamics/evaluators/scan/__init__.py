"""One chain in logarithmic depth: stretches of articulated bodies, joined in pairs."""

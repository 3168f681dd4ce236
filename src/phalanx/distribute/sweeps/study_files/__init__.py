"""Studies described in TOML files."""

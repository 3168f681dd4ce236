"""Scenarios: runs described in TOML files."""

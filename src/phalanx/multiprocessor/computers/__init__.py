"""Parallel computers as data."""

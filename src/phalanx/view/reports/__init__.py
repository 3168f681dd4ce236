"""Runs as web pages in one file."""

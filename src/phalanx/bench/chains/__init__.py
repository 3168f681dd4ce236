"""Benchmarks of long chains: accuracy and time of each method, compared with other libraries."""

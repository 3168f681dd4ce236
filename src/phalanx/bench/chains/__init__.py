"""Benchmarks of long chains: accuracy and time of each method, beside other libraries."""

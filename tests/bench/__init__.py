"""Benchmarks: ratios against a bare interpreter in the same interleaved run, and instruction counts, which no load moves."""

"""Benchmarks: what is measured, and how."""

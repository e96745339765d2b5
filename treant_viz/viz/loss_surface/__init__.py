"""The loss under attack of a stump over its two leaves."""

"""Robust splitting: before, the choice of the attacker, after."""

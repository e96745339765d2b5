"""Attacks on a tree: the leaves that a row can be brought to, by which moves. Drawn in the browser."""

"""One row under attack on a tree."""

"""The growth of a tree, step by step. Drawn in the browser."""

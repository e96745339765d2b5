"""The regions of a tree in the plane of two features."""

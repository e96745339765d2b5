"""The cells that a model cannot tell apart, and what they cost: why enumeration explodes."""

"""The attacker A = (R, K): rules, what they reach, what that means for a table of training data."""

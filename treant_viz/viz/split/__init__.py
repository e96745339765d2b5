"""The split: which rows are left, right or the attacker's, and how to plan for it. Drawn in the browser."""

"""The paper and nothing else: rules, ternary partition, robust split, constraints, the four algorithms."""

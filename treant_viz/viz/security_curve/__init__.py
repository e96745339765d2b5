"""How measures fall as the budget of the attacker rises."""

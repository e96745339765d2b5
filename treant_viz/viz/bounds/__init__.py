"""The search for the worst attack: what is tried, and what a bound rules out."""

"""The search for the worst attack as a tree with cut branches: how a bound prunes."""

"""A tree: what each node asks, how many rows come to it, what it costs."""

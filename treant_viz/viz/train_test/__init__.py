"""Heat maps of training budget against test budget."""

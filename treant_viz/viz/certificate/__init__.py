"""How safe predictions are: what it costs at least to change them, one row or a data set."""

"""One row under attack on a forest: which trees change their vote."""

"""A published table against our runs, cell by cell."""

"""The loss and the loss under attack of every candidate test."""

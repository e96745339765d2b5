"""What a rule may do: the rules on one feature as a picture."""

"""What the constraints leave to the prediction of each leaf."""

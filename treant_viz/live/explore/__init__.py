"""Explorers whose pictures are drawn in the browser: one module a picture, on the base they share."""

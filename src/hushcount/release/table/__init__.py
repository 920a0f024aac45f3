"""A table of private counts, one for each declared cell."""

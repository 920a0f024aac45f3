"""Designs by chains: the best mechanism for a loss that grows away from the truth, by n numbers instead of n^2."""

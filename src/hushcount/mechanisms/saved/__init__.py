"""Mechanisms given as a matrix, in memory or in a file."""

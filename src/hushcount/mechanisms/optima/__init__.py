"""Mechanisms with the least worst-case error probability, in closed form."""

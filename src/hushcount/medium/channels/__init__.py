"""Channels and modulations as stochastic matrices."""

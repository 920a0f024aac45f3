"""Predicates as text and as a tree: what is accepted, what is refused and why."""

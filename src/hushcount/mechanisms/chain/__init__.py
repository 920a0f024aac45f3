"""Mechanisms told by a chain of thresholds: noise of the promise's own kind, added to the count and cut."""

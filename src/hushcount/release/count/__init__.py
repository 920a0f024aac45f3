"""One private count."""

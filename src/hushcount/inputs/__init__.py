"""Arguments from outside, each judged in one place."""

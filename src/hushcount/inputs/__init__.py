"""Arguments from outside, each checked in one place."""

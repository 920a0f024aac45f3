"""What a user would pick instead of an optimum."""

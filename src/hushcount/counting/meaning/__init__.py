"""What a predicate means over typed columns, the same for every engine."""

"""Sources: where they are, how they are read, which columns they have."""

"""Text for people: the parts of any result that prints itself."""

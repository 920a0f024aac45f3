"""Text for people: what any result that prints itself is put together from."""

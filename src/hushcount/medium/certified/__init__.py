"""The least error probability behind a medium, bounded and certified."""

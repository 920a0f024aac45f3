"""What commands print for people, where that is more than a few lines."""

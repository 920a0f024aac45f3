"""What commands print for people, where it is more than a few lines."""

"""Linear programs over private mechanisms, and what is proved of their answers."""

"""What is declared about a source before it is opened: where it is, how it is read, its columns, its units."""

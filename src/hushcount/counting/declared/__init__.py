"""What is declared of a source before it is opened: where it is, how it is read, its columns, its units."""

"""What rows are read from: files of each format, tables of PostgreSQL and Spark."""

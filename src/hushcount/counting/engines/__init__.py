"""What answers: DuckDB for files, PostgreSQL and Spark where the data are."""

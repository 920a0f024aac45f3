"""What judges rows: DuckDB for files, PostgreSQL and Spark where the data are."""

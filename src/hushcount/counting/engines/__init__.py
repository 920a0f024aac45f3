"""What judges rows: DuckDB for files, and PostgreSQL and Spark where the data are."""

"""CSV files, read strictly and twice."""

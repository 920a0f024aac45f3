"""JSON lines, read strictly and twice."""

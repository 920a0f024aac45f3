"""Parquet data sets and tables of the catalog in Spark."""

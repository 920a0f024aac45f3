"""Counting in Spark."""

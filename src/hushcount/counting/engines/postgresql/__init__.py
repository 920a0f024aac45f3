"""Counting in a PostgreSQL database."""

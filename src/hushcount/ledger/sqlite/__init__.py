"""A ledger in a SQLite file."""

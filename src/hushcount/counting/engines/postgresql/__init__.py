"""PostgreSQL as a judge of rows: a connection, and its words for the one rule."""

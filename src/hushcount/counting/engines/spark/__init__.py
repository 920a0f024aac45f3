"""Spark as a judge of rows: a session, and its words for the one rule."""

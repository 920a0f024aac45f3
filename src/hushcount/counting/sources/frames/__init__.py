"""Frames: tables in memory, taken through Arrow."""

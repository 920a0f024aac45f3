"""Publish many counts and tables by one file, charged at once.

The file names a budget, sources and releases. Checking it is free.
"""

COMMANDS = ("check", "run")

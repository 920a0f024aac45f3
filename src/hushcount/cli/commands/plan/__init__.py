"""Publish many counts and tables by one file, charged to one budget.

The file names sources and releases. Checking it is free, and running it charges all of it at once.
"""

COMMANDS = ("check", "run")

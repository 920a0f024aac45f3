"""List the sources that may be asked about.

If a budget lists sources, those who ask cannot choose how they are read or whom a row belongs to. Every question is
judged by the list before a source is opened: a refusal costs nothing and reveals nothing about the data."""

COMMANDS = ("add", "list", "check")

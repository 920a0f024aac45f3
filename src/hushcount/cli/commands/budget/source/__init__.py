"""List the sources that may be asked about.

Where a budget lists sources, whoever asks cannot choose how they are read or whom a row belongs to, and every question
is judged by the list before a source is opened: what is refused is free and tells nothing of the data.
"""

COMMANDS = ("add", "list", "check")

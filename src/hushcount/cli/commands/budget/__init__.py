"""Keep a budget for all that is released about a data set.

A budget is set once, and everything that is released is charged to it. Amounts are exact; what is charged is on disk
before a count is drawn.
"""

COMMANDS = ("create", "show", "history", "verify", "close", "source")

"""Keep a budget for everything that is released about a data set.

A budget is set once, and every release is charged to it. Amounts are exact, and a charge is on disk before a count is
drawn."""

COMMANDS = ("create", "show", "history", "verify", "close", "source")

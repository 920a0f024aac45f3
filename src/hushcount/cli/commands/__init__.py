"""Publish how many rows of a table satisfy a condition, with differential privacy.

The released count is always a possible count, and wrong as rarely as the privacy asked for allows.
"""

COMMANDS = (
    "release",
    "table",
    "plan",
    "explain",
    "interpret",
    "report",
    "audit",
    "compare",
    "optimal-set",
    "design",
    "medium",
    "sweep",
    "paper",
    "schema",
    "budget",
    "plot",
)

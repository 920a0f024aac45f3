"""The exit codes of the command."""

from __future__ import annotations

__all__ = [
    "BAD_DATA",
    "BAD_USE",
    "BUDGET",
    "EXIT_CODES",
    "FAULT",
    "INTERRUPTED",
    "OUTPUT_LOST",
    "SAYS_NO",
    "UNDECIDED",
]

SAYS_NO, BAD_USE, BAD_DATA, BUDGET, UNDECIDED, FAULT, OUTPUT_LOST, INTERRUPTED = 1, 2, 3, 4, 5, 70, 74, 130

EXIT_CODES = {
    0: "Done. From `audit`: private, not rejected by the log, or nothing claimed.",
    SAYS_NO: "The check that was asked for says no; nothing else has this code. From `audit`: not private as claimed, "
    "or rejected by the log. From `budget verify`: not intact. From `budget source check`: not as listed. From "
    "`paper`: a statement fails.",
    BAD_USE: "Incorrect use: an option, a parameter or the condition is wrong. Nothing was released.",
    BAD_DATA: "Bad data: the source, or the ledger, does not hold what was declared of it. Nothing was released.",
    BUDGET: "The budget does not cover the request, or is closed. Nothing was charged or released.",
    UNDECIDED: "From `audit`: whether the claim holds could not be decided.",
    FAULT: "A fault in hushcount or in a library it uses.",
    OUTPUT_LOST: "Standard output was closed or full before everything was written to it. (If standard error is "
    "closed or full, the message is lost, but the exit code is that of the outcome.)",
    INTERRUPTED: "Interrupted with Ctrl-C.",
}
"""The meaning of each exit code, for the reference."""

"""The command `hushcount`; one file per subcommand."""

from __future__ import annotations

from collections.abc import Sequence

from hushcount.cli.exit_codes import FAULT, INTERRUPTED
from hushcount.cli.saying import fail

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: the process's own) and return its exit code.

    Whatever goes wrong, from the imports on, is reported in one line. Python would print a traceback, which may quote
    the data, and exit with 1, which means that a check says no.
    """
    try:
        from hushcount.cli import entry

        return entry.main(arguments)
    except KeyboardInterrupt:
        return fail(INTERRUPTED, "interrupted")
    except ImportError as error:
        return fail(FAULT, f"the installation is incomplete: {error.name or 'a module'} cannot be imported")
    except BaseException as error:  # a panic in a Rust library is not an Exception
        # Only the type: the message of an unforeseen error may quote the data.
        kept = "" if getattr(error, "charged", None) is None else "; the same question asked again is not charged again"
        return fail(FAULT, f"stopped by an unexpected {type(error).__name__}, which is a fault in hushcount{kept}")

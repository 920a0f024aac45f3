"""The command `hushcount`; one file per subcommand."""

from __future__ import annotations

from hushcount.cli.entry import main

__all__ = ["main"]

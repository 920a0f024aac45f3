"""`hushcount plot`: pictures; one file per picture."""

from hushcount.cli.plot.group import plot

__all__ = ["plot"]

"""The options that say how an answer is given."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import OUTPUT
from hushcount.errors import BadUse

__all__ = ["Json", "MissingLabel", "check_explain"]

Json = Annotated[bool, OUTPUT.option("--json", help="Print JSON instead of text.")]
MissingLabel = Annotated[
    str | None,
    OUTPUT.option(metavar="TEXT", help='What a missing key is called, such as "not stated"; "(missing)" by default.'),
]


def check_explain(**given: object) -> None:
    """Check that a dry run is not asked for what it does not make.

    Args:
        given: the values of options, by name, that only a release uses.

    Raises:
        BadUse: one of them was given.
    """
    for name, value in given.items():
        if value:
            raise BadUse(f"--explain prints text: leave out --{name}, or --explain")

"""The options that several subcommands share, and how their texts become values.

Numbers arrive as the text that was typed and are judged by the library, so that a privacy parameter is never rounded on
the way and a bad one gets the library's message, whatever character it begins with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from hushcount.errors import BadUse, InvalidParameter

if TYPE_CHECKING:
    from hushcount.mechanisms import SavedMechanism

__all__ = [
    "ADJACENCY",
    "MECHANISM",
    "AdjacencyOption",
    "Delta",
    "Epsilon",
    "Json",
    "Mechanism",
    "SourceArgument",
    "SourceOption",
    "column_types",
    "is_mechanism_file",
    "mechanism_of",
    "one_source",
    "whole",
]

ADJACENCY = "replace-one"
MECHANISM = "nearest"
LARGEST_DIGITS = 100
"""More than any count has; Python itself refuses to read numbers of thousands of digits."""

Epsilon = Annotated[
    str,
    typer.Option(
        metavar="NUMBER",
        help="The privacy parameter epsilon, >= 0: smaller protects more. A decimal (0.5, 1e-3) or a ratio (1/3), "
        "taken exactly.",
    ),
]
Delta = Annotated[
    str,
    typer.Option(
        metavar="NUMBER",
        help="The privacy parameter delta, >= 0 and < 1: the chance with which the promise of epsilon may fail. "
        "Taken exactly.",
    ),
]
AdjacencyOption = Annotated[
    str,
    typer.Option(
        metavar="replace-one|add-remove",
        help="What one change to the table is: replace-one replaces a row, and the number of rows is public; "
        "add-remove adds or removes a row, and the number of rows stays secret.",
    ),
]
Mechanism = Annotated[
    str,
    typer.Option(
        metavar="nearest|canonical|FILE",
        help="How the count is drawn. nearest and canonical are wrong equally rarely; where it is wrong, a count from "
        "nearest is also as close as possible. Or the file of a saved mechanism (CSV or JSON), made for the same range "
        "of counts; it is audited first and refused unless it is private at --epsilon and --delta, whatever the file "
        "itself claims.",
    ),
]
SourceArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="SOURCE",
        help="The file with the table: CSV (also .gz), Parquet, DuckDB or SQLite; or what --source takes. It can be "
        "left out where the budget lists one source; of several, it is the name or the path of one.",
        show_default=False,
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="URL",
        help="Where the table is counted in place, instead of SOURCE: postgresql://host/database, or for Spark "
        "spark:TABLE or spark:FOLDER (of Parquet files). A password is better kept in PGPASSWORD or ~/.pgpass than in "
        "the URL.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]

_WHOLE = re.compile(rf"\+?[0-9]{{1,{LARGEST_DIGITS}}}", re.ASCII)


def whole(text: str, argument: str) -> int:
    """The count that `text` spells in plain ASCII digits.

    Raises:
        InvalidParameter: a sign other than +, a point, an exponent, an underscore, a digit of another script.
    """
    if not _WHOLE.fullmatch(text.strip(" ")):
        raise InvalidParameter(argument, text, f"a whole number >= 0, in at most {LARGEST_DIGITS} digits")
    return int(text)


def one_source(argument: str | None, option: str | None, *, is_needed: bool) -> str | None:
    """The source that was given, as SOURCE or as --source.

    Args:
        is_needed: whether no budget could list one.

    Raises:
        BadUse: both were given, or neither of them, and one is needed.
    """
    if argument is not None and option is not None:
        raise BadUse("the source is given twice: as SOURCE and as --source")
    source = argument if option is None else option
    if source is None and is_needed:
        raise BadUse("no source: give a file as SOURCE, or an address as --source")
    return source


def mechanism_of(text: str) -> str | SavedMechanism:
    """The name, or else the mechanism saved in the file, that `text` stands for; `./nearest` is always a file.

    Raises:
        BadData: no such file, or no saved mechanism.
    """
    if not is_mechanism_file(text):
        return text
    from hushcount.privacy import load_mechanism  # with it come the audits, which only a file needs

    return load_mechanism(text)


def is_mechanism_file(text: str) -> bool:
    """Whether `text` names a file, and not a mechanism."""
    from hushcount.release.guarantee import PROVEN

    return text not in PROVEN and (text != os.path.basename(text) or "." in text or os.path.exists(text))


def column_types(declarations: Sequence[str]) -> dict[str, str]:
    """`COLUMN=TYPE` texts as a mapping; the last `=` separates, since a column name may hold one.

    Raises:
        InvalidParameter: no `=`, an empty side, or a column declared twice.
    """
    types: dict[str, str] = {}
    for declaration in declarations:
        column, _, kind = declaration.rpartition("=")
        if not (column and kind):
            raise InvalidParameter("types", declaration, "of the form COLUMN=TYPE")
        if column in types:
            raise InvalidParameter("types", declaration, "given once for each column")
        types[column] = kind
    return types

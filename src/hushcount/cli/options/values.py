"""How the texts of options become values.

Numbers arrive as the text that was typed and are judged by the library, so that a privacy parameter is never rounded on
the way and a bad one gets the library's message, whatever character it begins with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hushcount.errors import InvalidParameter

__all__ = ["column_types", "delimiter_of", "name_of", "no_delimiter", "numbers", "whole"]

LARGEST_DIGITS = 100
"""More digits than any count has; Python refuses to read numbers of thousands of digits."""

_REPEATED = re.compile(r"([^x]*)x\s*([0-9]{1,9})\s*", re.ASCII)
"""A number, and how often: 0.5x190."""

_NAMED_DELIMITERS = {"\\t": "\t", "tab": "\t"}

_WHOLE = re.compile(rf"\+?[0-9]{{1,{LARGEST_DIGITS}}}", re.ASCII)


def whole(text: str, argument: str, least: int = 0) -> int:
    """Return the count that `text` spells in plain ASCII digits; that it is at least `least` is judged where it is
    used, and said here too.

    Raises:
        InvalidParameter: a sign other than +, a point, an exponent, an underscore, a digit of another script.
    """
    if not _WHOLE.fullmatch(text.strip(" ")):
        raise InvalidParameter(argument, text, f"a whole number >= {least}, in at most {LARGEST_DIGITS} digits")
    return int(text)


def numbers(text: str, argument: str, most: int, delimiter: str | None = None) -> list[str] | list[float]:
    """Return the numbers of a list such as 4x11,1x190, or of a CSV file, for the library to judge.

    In a list, 4x11 stands for 4 eleven times. `delimiter` is that of the file, as it was typed.

    Raises:
        InvalidParameter: more than `most`; no delimiter, or one where no file is read.
        BadData: a file that holds anything but numbers.
    """
    if os.path.isfile(text):
        from hushcount.files.csv_numbers import csv_lines, number_rows

        with csv_lines(Path(text)) as lines:
            rows = number_rows(Path(text), lines, delimiter=delimiter_of(delimiter))
            return [number for _, row in rows for number in row]
    no_delimiter(delimiter)
    found: list[str] = []
    for part in text.split(","):
        repeated = _REPEATED.fullmatch(part)
        number, times = (repeated[1], int(repeated[2])) if repeated else (part, 1)
        if len(found) + times > most:
            raise InvalidParameter(argument, None, f"at most {most:,} numbers, one for each true count")
        found += [number] * times
    return found


def name_of(text: str, argument: str, names: Iterable[str]) -> str:
    """Return the one of `names` that `text` spells, with hyphens as options have them.

    Raises:
        InvalidParameter: none of them.
    """
    spelled = {name.replace("_", "-"): name for name in names}
    typed = text.replace("_", "-")
    if typed not in spelled:
        raise InvalidParameter(argument, text, f"one of {', '.join(spelled)}")
    return spelled[typed]


def delimiter_of(text: str | None) -> str:
    """Return the delimiter that an option declares; a comma where it was not given."""
    return "," if text is None else _NAMED_DELIMITERS.get(text, text)


def no_delimiter(text: str | None) -> None:
    """Refuse a delimiter, since no CSV file of numbers is read.

    Raises:
        InvalidParameter: one was given.
    """
    if text is not None:
        raise InvalidParameter("delimiter", text, "left out where no CSV file of numbers is read")


def column_types(declarations: Sequence[str]) -> dict[str, str]:
    """Return `COLUMN=TYPE` texts as a mapping; the last `=` separates, since a column name may hold one.

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

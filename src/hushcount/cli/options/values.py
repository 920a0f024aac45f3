"""How the texts of options become values.

Numbers arrive as the text that was typed and are judged by the library, so that a privacy parameter is never rounded on
the way and a bad one gets the library's message, whatever character it begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hushcount.errors import InvalidParameter

__all__ = ["column_types", "name_of", "whole"]

LARGEST_DIGITS = 100
"""More digits than any count has; Python refuses to read numbers of thousands of digits."""

_WHOLE = re.compile(rf"\+?[0-9]{{1,{LARGEST_DIGITS}}}", re.ASCII)


def whole(text: str, argument: str) -> int:
    """Return the count that `text` spells in plain ASCII digits.

    Raises:
        InvalidParameter: a sign other than +, a point, an exponent, an underscore, a digit of another script.
    """
    if not _WHOLE.fullmatch(text.strip(" ")):
        raise InvalidParameter(argument, text, f"a whole number >= 0, in at most {LARGEST_DIGITS} digits")
    return int(text)


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

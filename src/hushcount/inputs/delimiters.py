"""The one character between the fields of a text file: declared, and never guessed."""

from __future__ import annotations

from hushcount.errors import InvalidParameter

__all__ = ["check_delimiter", "delimiter_hint"]

_USUAL = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}
"""The delimiters that are looked for in what was not divided, and how each is shown."""


def check_delimiter(delimiter: object, argument: str = "delimiter") -> None:
    """Check that fields can be separated by it.

    Raises:
        InvalidParameter: it is not one ASCII character, or is a quote, a line break, NUL, a letter or a digit.
    """
    if not (isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()):
        raise InvalidParameter(argument, delimiter, "one ASCII character")
    if delimiter in '"\r\n\0' or delimiter.isalnum():
        raise InvalidParameter(argument, delimiter, "no quote, line break, letter or digit")


def delimiter_hint(undivided: str, delimiter: str, argument: str) -> str:
    """Return, for an error about a file, which delimiter would divide what should be several fields; or no text.

    Args:
        undivided: the only field of a record.
        delimiter: what was declared.
        argument: what declares it, also the name of the option.
    """
    found = next((shown for mark, shown in _USUAL.items() if mark in undivided and mark != delimiter), None)
    if found is None:
        return ""
    return f"; if {found} separates the fields, declare it: {argument} (--{argument.replace('_', '-')})"

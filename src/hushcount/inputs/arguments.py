"""Arguments that are checked in the same way everywhere: integers, lists, paths (`arrays` has those of NumPy)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from enum import Enum
from numbers import Integral, Number
from typing import TypeVar

from hushcount.errors import InvalidParameter, type_of

__all__ = ["integer", "listed", "member_of", "one_of", "path_text"]

_Item = TypeVar("_Item")
_Member = TypeVar("_Member", bound=Enum)


def one_of(value: object, argument: str, names: Collection[str], rule: str = "") -> None:
    """Check that a text is one of `names`; a value that cannot be compared with them is not.

    Raises:
        InvalidParameter: it is not; the rule is made from the names if none is given.
    """
    if not (isinstance(value, str) and value in names):
        raise InvalidParameter(argument, value, rule or f"one of {', '.join(names)}")


def member_of(kind: type[_Member], argument: str, value: object) -> _Member:
    """Return the member of an enumeration that `value` names.

    Raises:
        InvalidParameter: it names no member.
    """
    try:
        return kind(value)
    except (TypeError, ValueError):
        names = ", ".join(str(member.value) for member in kind)
        raise InvalidParameter(argument, value, f"one of {names}") from None


def integer(value: object, argument: str, *, least: int | None = None) -> int:
    """Return `value` as a Python int. NumPy's integers count as integers; a bool does not.

    Raises:
        InvalidParameter: not an integer, or below `least`.
    """
    if isinstance(value, Integral) and not isinstance(value, bool) and (least is None or int(value) >= least):
        return int(value)
    told = value if isinstance(value, Number) else type_of(value)
    raise InvalidParameter(argument, told, "an integer" if least is None else f"an integer >= {least}")


def listed(values: Iterable[_Item] | None, argument: str, rule: str) -> list[_Item]:
    """Return the items of any iterable but a text.

    Raises:
        InvalidParameter: a text, or something that is not iterable.
    """
    if values is None or isinstance(values, (str, bytes)):
        raise InvalidParameter(argument, values, rule)
    try:
        items = iter(values)
    except TypeError:
        raise InvalidParameter(argument, values, rule) from None
    return list(items)


def path_text(value: object, argument: str) -> str:
    """Return the path that a text or a `Path` spells.

    Raises:
        InvalidParameter: something else, a path of bytes, or several lines that are no file's name: they are then what
            a file holds.
    """
    if isinstance(value, (str, os.PathLike)):
        spelled = os.fspath(value)
        if isinstance(spelled, str) and (len(spelled.splitlines()) <= 1 or os.path.exists(spelled)):
            return spelled
    raise InvalidParameter(argument, value, "the path of a file, as text or Path")

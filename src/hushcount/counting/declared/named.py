"""Sources without a path: data that come with each question, which a ledger knows by a name alone.

A frame in memory, or what comes through standard input, has nothing that tells it from others. So whoever asks names
it, and a name stands for one data set: a ledger takes whatever comes under a name for that, as it takes whatever is at
a path for the file there.
"""

from __future__ import annotations

import re
from dataclasses import replace

from hushcount.counting.declared.place import NAMED, Place, SourceLike, place_of
from hushcount.errors import InvalidParameter

__all__ = ["check_known", "named"]

_NAME = re.compile(r"[^/\\:]{1,200}")


def named(source: SourceLike | Place, name: str | None) -> Place:
    """Return the place of a source, under the name that was given for it; None where none was given.

    Raises:
        InvalidParameter: the source has a path or an address, which is its name; or the name does not fit on a line, or
            looks like a path or an address.
        BadUse, BadData: as for `place_of`.
    """
    place = place_of(source)
    if name is None:
        return place
    if not place.is_named:
        raise InvalidParameter("source_name", None, f"left out: {place.name} is known by its path or address")
    is_text = isinstance(name, str) and name.isprintable() and name == name.strip()
    if not (is_text and _NAME.fullmatch(name)):
        rule = "a printable text of 1 to 200 characters, without / \\ : and without blanks around it"
        raise InvalidParameter("source_name", name, rule)
    return replace(place, shown=name, name=name, identity=f"{NAMED}{name}")


def check_known(place: Place) -> None:
    """Check that a ledger can tell a place from others.

    Raises:
        InvalidParameter: it has neither a path nor a name.
    """
    if place.identity == NAMED:
        rule = f'given with a ledger, which knows {place.name} by nothing else: a name such as "visits-2026"'
        raise InvalidParameter("source_name", None, rule)

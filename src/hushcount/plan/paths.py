"""Where the files of a plan are: whatever it names by a path starts from the folder of the plan, not from where it is
run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from hushcount.counting.cells.keys import group_list
from hushcount.counting.declared.place import place_of
from hushcount.counting.predicate.groups import FromFile, Group
from hushcount.errors import InvalidParameter

__all__ = ["file_at", "groups_at", "ledger_at", "source_at"]

_SQLITE = "sqlite:///"


def file_at(folder: str, text: str) -> str:
    """Return the path of a file; joined as text, since `./spark:x` is a file and `spark:x` is none."""
    return os.path.join(folder or os.curdir, text)


def ledger_at(folder: str, text: str) -> str:
    """Return where the ledger is, a file or an address."""
    if text.startswith(_SQLITE):
        return f"{_SQLITE}{file_at(folder, text.removeprefix(_SQLITE))}"
    return text if "://" in text else file_at(folder, text)


def source_at(folder: str, text: str) -> str:
    """Return a source: a file, each of several files, a folder for Spark, or an address or table as it is.

    Raises:
        InvalidParameter: it is -, which stands for standard input on a command line.
        InvalidParameter, BadData, BadUse: as for `place_of`.
    """
    if text == "-":
        rule = "a file or an address: a plan is run again, so standard input cannot be a source (a file named - is ./-)"
        raise InvalidParameter("source", text, rule)
    place = place_of(text)
    if place.kind == "file":
        return file_at(folder, text)
    if place.kind == "files":
        return f"files:{os.pathsep.join(file_at(folder, part) for part in place.text.split(os.pathsep))}"
    if place.kind == "spark" and place.paths:
        return f"spark:{file_at(folder, place.text)}"
    return text


def groups_at(folder: str, by: str | Iterable[str]) -> tuple[Group, ...]:
    """Return what tells the cell of a row, with the files that say which values belong together.

    Raises:
        InvalidParameter: as for `group_list`.
    """
    return tuple(
        replace(group, path=file_at(folder, group.path)) if isinstance(group, FromFile) else group
        for group in group_list(by)
    )

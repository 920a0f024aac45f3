"""Which data files a folder, a pattern or a list names, and what the names of their folders say (`year=2024`).

As everywhere in Spark and Hive, files and folders whose names begin with `_` or `.` are no data, but for `_x=1`, which
names a partition. Links are followed, and a file that occurs twice is an error.
"""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from hushcount.errors import BadData

__all__ = ["DataFile", "below", "fixed_part", "is_data", "listed_files"]

_WILDCARD = re.compile(r"[*?\[]")
_NULL = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class DataFile:
    """A file of several.

    Attributes:
        path: its absolute path.
        keys: the columns that its folders name, with their texts; None stands for a missing value.
    """

    path: str
    keys: tuple[tuple[str, str | None], ...] = ()


def is_data(name: str) -> bool:
    """Return whether a file or folder of that name is data."""
    return not (name.startswith(".") or (name.startswith("_") and "=" not in name))


def fixed_part(pattern: str) -> str:
    """Return the folder that a pattern looks in, or all of a path that is no pattern."""
    if not _WILDCARD.search(pattern):
        return pattern
    parts = pattern.split(os.sep)
    first = next(at for at, part in enumerate(parts) if _WILDCARD.search(part))
    return os.sep.join(parts[:first]) or (os.sep if pattern.startswith(os.sep) else os.curdir)


def below(path: str, shown: str) -> Iterator[str]:
    """Yield all data files at a path: itself if it is a file, or those of the folder and of those below it.

    Raises:
        BadData: a link leads nowhere, or a file or folder occurs twice, by a link.
        OSError: a folder cannot be listed.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [path]
    while waiting:
        place = waiting.pop()
        try:
            found = os.stat(place)
        except OSError:
            if not os.path.islink(place):
                raise
            raise BadData(f"{shown} holds a link that leads nowhere") from None
        if (found.st_dev, found.st_ino) in seen:
            raise BadData(f"{shown} holds a file or a folder twice, by a link")
        seen.add((found.st_dev, found.st_ino))
        if stat.S_ISDIR(found.st_mode):
            waiting += [os.path.join(place, name) for name in os.listdir(place) if is_data(name)]
        else:
            yield place


def listed_files(patterns: Sequence[str], shown: str) -> tuple[DataFile, ...]:
    """Return the data files of folders, patterns (`*`, `?`, `[...]`, and `**` for any folders) or paths, by name.

    Args:
        patterns: absolute paths.
        shown: what errors call all of them.

    Raises:
        BadData: a pattern matches nothing, or a folder without the files in it; a folder holds nothing, a file is named
            twice, or is no regular file; or not all files are in folders that name the same columns.
    """
    files: list[DataFile] = []
    try:
        for pattern in patterns:
            root = fixed_part(pattern)
            if root == pattern:
                found = sorted(below(pattern, shown))
            else:
                matches = glob.glob(pattern, recursive=True)
                folders = {path for path in matches if os.path.isdir(path)}
                found = sorted({path for path in matches if path not in folders and _is_below(path, root)})
                _check_folders([path for path in folders if _is_below(path, root)], found, shown)
            if not found:
                raise BadData(f"{shown}: no file is there" if root == pattern else f"{shown} matches no file")
            files += [DataFile(os.path.normpath(path), _keys(os.path.relpath(path, root), shown)) for path in found]
        _check_each_once(files, shown)
    except OSError as error:
        raise BadData(f"{shown} cannot be opened: {error.strerror}") from None
    if len({tuple(name for name, _ in file.keys) for file in files}) > 1:
        raise BadData(f"{shown}: its files are in folders that do not all name the same columns (NAME=VALUE)")
    return tuple(files)


def _is_below(path: str, root: str) -> bool:
    return all(map(is_data, os.path.relpath(path, root).split(os.sep)))


def _check_folders(folders: Sequence[str], found: Sequence[str], shown: str) -> None:
    """Check that of each folder that a pattern matches it also matches all files: what Spark calls x.parquet is one."""
    files = set(map(os.path.normpath, found))
    for folder in folders:
        if not files.issuperset(map(os.path.normpath, below(folder, shown))):
            raise BadData(
                f"{shown} matches a folder, but not the files in it; write /* or /** after it, or name files alone"
            )


def _check_each_once(files: Sequence[DataFile], shown: str) -> None:
    seen: set[tuple[int, int]] = set()
    for file in files:
        found = os.stat(file.path)
        if not file.path.isprintable():
            raise BadData(f"{shown} holds a file whose name has characters that cannot be printed")
        if not stat.S_ISREG(found.st_mode):
            raise BadData(f"{shown} holds what is not a regular file")
        if (found.st_dev, found.st_ino) in seen:
            raise BadData(f"{shown} names a file twice, perhaps by a link")
        seen.add((found.st_dev, found.st_ino))


def _keys(path: str, shown: str) -> tuple[tuple[str, str | None], ...]:
    """Return what the folders of a relative path name."""
    found: list[tuple[str, str | None]] = []
    for part in path.split(os.sep)[:-1]:
        name, equals, value = part.partition("=")
        if not equals:
            continue
        if not name or not value:
            raise BadData(f"{shown}: a folder has a name such as NAME= or =VALUE, which names no column or no value")
        try:
            key = unquote(name, errors="strict")
            found.append((key, None if value == _NULL else unquote(value, errors="strict")))
        except UnicodeError:
            raise BadData(f"{shown}: a folder has a name that is not UTF-8") from None
    if len({name.casefold() for name, _ in found}) < len(found):
        raise BadData(f"{shown}: the folders of a file name a column twice")
    return tuple(found)

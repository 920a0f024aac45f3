"""Which files a folder or a table of Spark holds, and whether Spark reads all of them, each once.

Spark leaves files out without a word: those in folders below one that has no partitions, those beside folders with
partitions, those of partitions that nobody registered, links that lead nowhere. So the files are listed here by
themselves, and what Spark would read is compared with the list before any row is. As everywhere in Spark, files and
folders whose names begin with `_` or `.` are no data, but for `_x=1`, which names a partition.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hushcount.errors import BadData
from hushcount.files.data_files import below, is_data

__all__ = ["check_columns", "check_files", "has_partitions", "held_files", "local_path"]

_LOCAL = "file:"
_UNFINISHED = "._COPYING_"
_BEYOND_ASCII = re.compile(r"=[^/]*%[89A-Fa-f][0-9A-Fa-f][^/]*/")
_CHOOSING = {
    "datetimerebasemode",
    "ignorecorruptfiles",
    "ignoremissingfiles",
    "int96rebasemode",
    "modifiedafter",
    "modifiedbefore",
    "pathglobfilter",
}
"""Options of a table that choose among its files or rows, or change what they say."""


def local_path(address: str) -> str | None:
    """Return the absolute path of an address on this machine; None for one that is elsewhere."""
    if address.startswith(_LOCAL):
        address = address.removeprefix(_LOCAL)
    elif "://" in address:
        return None
    return "/" + os.path.abspath(address).lstrip("/")


def held_files(address: str, session: Any, shown: str) -> dict[str, str]:
    """Return the data files at an address: a file, or all files of a folder and of those below it.

    Args:
        address: a path or URL.
        session: of Spark, whose access to other machines is used.
        shown: what errors call it.

    Returns:
        Of each its address as Hadoop spells it, and its path below the folder.

    Raises:
        BadData: a link leads nowhere, a file appears twice, or one is still being copied.
        OSError, Py4JError: the files cannot be listed.
    """
    path = local_path(address)
    root, found = _remote(address, session) if path is None else _local(path, shown)
    paths = {file: file.removeprefix(root).strip("/") or root.rpartition("/")[2] for file in found}
    held = {file: path for file, path in paths.items() if all(map(is_data, path.split("/")))}
    if any(path.endswith(_UNFINISHED) for path in held.values()):
        raise BadData(f"{shown} holds a file that is still being copied (its name ends in {_UNFINISHED})")
    return held


def has_partitions(files: Mapping[str, str], shown: str) -> bool:
    """Return whether folders of `held_files` name partitions, `x=1`.

    Raises:
        BadData: not all files are in partitions of the same columns, or Spark would read a name wrong.
    """
    if any(_BEYOND_ASCII.search(path) for path in files.values()):
        raise BadData(
            f"{shown}: a folder has a name with an escape beyond ASCII (%C3), of which Spark would make other letters"
        )
    names = {tuple(name.partition("=")[0] for name in path.split("/")[:-1] if "=" in name) for path in files.values()}
    if len(names) > 1:
        raise BadData(
            f"{shown}: some of its files are in folders that name a partition ({_example(files)}), and others are not, "
            "or in one of other columns; Spark would leave files out"
        )
    return names not in (set(), {()})


def _example(files: Mapping[str, str]) -> str:
    return next(name for path in files.values() for name in path.split("/")[:-1] if "=" in name)


def check_files(relation: Any, session: Any, shown: str, is_table: bool) -> list[str]:
    """Check that Spark reads every file that is held, once, and return their addresses.

    Args:
        relation: a `HadoopFsRelation`.
        session, shown: as in `held_files`.
        is_table: whether it is a table of the catalog, some of whose partitions may be elsewhere.

    Raises:
        BadData: it does not, or an option of the table may choose among its rows.
        OSError, Py4JError: the files cannot be listed.
    """
    chosen = {str(name).casefold() for name in _items(relation.options().keys())} & _CHOOSING
    if chosen:
        raise BadData(f"{shown} has the option {min(chosen)}, which may leave out or change rows")
    index = relation.location()
    nothing = session._jvm.PythonUtils.toSeq([])
    read = Counter(
        str(file.getPath().toString())
        for folder in _items(index.listFiles(nothing, nothing))
        for file in _items(folder.files())
    )
    held: set[str] = set()
    for root in _items(index.rootPaths()):
        held.update(held_files(str(root.toString()), session, shown))
    left = len(held - set(read))
    if left:
        where = "the folder of the table" if is_table else "the folder"
        hint = "; partitions must be registered (MSCK REPAIR TABLE)" if is_table else ""
        raise BadData(f"{shown}: Spark would leave out {left} of the {len(held)} files that {where} holds{hint}")
    if max(read.values(), default=1) > 1 or (not is_table and set(read) != held):
        raise BadData(f"{shown}: Spark would read a file twice, or one that the folder does not hold")
    return list(read)


def check_columns(relation: Any, shown: str, in_files: Iterable[str]) -> None:
    """Check that the columns are those of the files, to which partitions only add some.

    Args:
        relation, shown: as in `check_files`.
        in_files: the columns of the files.

    Raises:
        BadData: a file has a column that the names of folders have too, or one whose name differs from that of the
            table in case only, for which Spark would find nothing.
    """
    known = {name.casefold(): name for name in in_files}
    for partition in relation.partitionSchema().fieldNames():
        if str(partition).casefold() in known:
            raise BadData(
                f"{shown}: column {partition!r} is in the files and in the names of folders too, and Spark would go by "
                "the folders"
            )
    for name in relation.dataSchema().fieldNames():
        spelled = known.get(str(name).casefold(), name)
        if spelled != name:
            raise BadData(f"{shown}: column {name!r} is {spelled!r} in its files, where Spark would not find it")


def _local(path: str, shown: str) -> tuple[str, Iterator[str]]:
    """Return a path as Hadoop spells it, and all files there and below."""
    return _LOCAL + path, (_LOCAL + file for file in below(path, shown))


def _remote(address: str, session: Any) -> tuple[str, Iterator[str]]:
    """Return the address as Hadoop spells it, and all files there and below."""
    path = session._jvm.org.apache.hadoop.fs.Path(address)
    system = path.getFileSystem(session._jsparkSession.sessionState().newHadoopConf())
    files = system.listFiles(path, True)
    return str(system.makeQualified(path).toString()), (str(file.getPath().toString()) for file in _of_java(files))


def _of_java(iterator: Any) -> Iterator[Any]:
    while iterator.hasNext():
        yield iterator.next()


def _items(sequence: Any) -> Iterator[Any]:
    """Yield the items of a collection of Scala."""
    return _of_java(sequence.iterator())

"""Which format a file has, by its first bytes: one that can be read, or the name of one that cannot."""

from __future__ import annotations

import gzip
import os
import re
import stat
import zipfile
import zlib

from hushcount.errors import BadData

__all__ = ["check_is_file", "is_opened_by_duckdb", "told_format"]

_HEAD = 64
_READ = (
    (0, b"PAR1", "parquet"),
    (0, b"SQLite format 3\0", "sqlite"),
    (8, b"DUCK", "duckdb"),
    (0, b"ARROW1\0\0", "arrow"),
    (0, b"<stata_dta>", "stata"),
    (0, b"$FL2", "spss"),
    (0, b"$FL3", "spss"),
    (0, b"HEADER RECORD*******LIB", "xport"),
    (12, b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00", "sas"),
    (0, b"\xff\xff\xff\xff", "arrow"),  # a stream of messages, as no text begins
)
_NAMED = (
    (0, b"FEA1", "a Feather file of version 1", "write it again as Arrow (Feather version 2) or Parquet"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or encrypted Office file (.xls, perhaps)", "save it as CSV"),
    (0, b"ORC\n", "an ORC file", "write it as Parquet, or count in Spark"),
    (0, b"ORC\x08", "an ORC file", "write it as Parquet, or count in Spark"),
    (0, b"Obj\x01", "an Avro file", "write it as Parquet"),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file", "write it as Parquet"),
    (0, b"\x93NUMPY", "a NumPy file", "write it as Parquet"),
    (0, b"\x80\x02", "a Python pickle", "write it as Parquet"),
    (0, b"\x80\x03", "a Python pickle", "write it as Parquet"),
    (0, b"\x80\x04", "a Python pickle", "write it as Parquet"),
    (0, b"\x80\x05", "a Python pickle", "write it as Parquet"),
    (0, b"RDX2\n", "an R workspace", "write it as Parquet"),
    (0, b"RDX3\n", "an R workspace", "write it as Parquet"),
    (0, b"X\n\0\0\0", "an R data file (.rds)", "write it as Parquet"),
    (0, b"ASCII SPSS PORT FILE", "a portable SPSS file (.por)", "save it as .sav"),
    (4, b"Standard Jet DB", "an Access database", "export the table as CSV"),
    (4, b"Standard ACE DB", "an Access database", "export the table as CSV"),
    (0, b"%PDF-", "a PDF document", "export the table as CSV"),
    (0, b"BZh", "a file packed by bzip2", "unpack it"),
    (0, b"\xfd7zXZ\0", "a file packed by xz", "unpack it"),
    (0, b"\x28\xb5\x2f\xfd", "a file packed by Zstandard", "unpack it"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (0, b"\x89PNG", "a picture", "export the table as CSV"),
    (0, b"\xff\xd8\xff", "a picture", "export the table as CSV"),
)
"""Formats that are not read: where their bytes stand, which they are, what they are called, and what to do."""

_STATA = re.compile(rb"[h-s][\x01\x02]\x01\x00")  # before version 117
_PAGE = re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml)\b", re.IGNORECASE)
_OBJECT = re.compile(rb"(\xef\xbb\xbf)?\s*\{\s*(\"|\}|\Z)")
_ARRAY = re.compile(rb"(\xef\xbb\xbf)?\s*\[\s*[\[{]")
_IN_ZIP = (
    ("xl/workbook.bin", "a binary Excel file (.xlsb)", "save it as .xlsx or CSV"),
    ("content.xml", "an OpenDocument file", "save the sheet as CSV"),
    ("word/document.xml", "a Word document", "export the table as CSV"),
)


def told_format(path: str, shown: str, *, may_be_text: bool) -> str | None:
    """Return the format of a file that its first bytes tell; None if it may be a CSV.

    Args:
        path: the file.
        shown: what errors call it.
        may_be_text: whether it was declared to be a CSV, so that its first characters say nothing.

    Raises:
        BadData: there is no such file, it is empty, or its format is one that is not read, which the message names.
    """
    head = check_is_file(path, shown)
    if not head:
        raise BadData(f"{shown} is empty: it holds no header and no row")
    if head.startswith(b"\x1f\x8b"):
        inner = _unpacked(path)
        found = _told(inner, shown, may_be_text, "a gzip archive of ")
        if found not in (None, "json"):
            raise BadData(f"{shown} is {found.capitalize()} packed by gzip; unpack it")
        return found
    if head.startswith(b"PK\x03\x04"):
        return _in_zip(path, shown)
    return _told(head, shown, may_be_text)


def is_opened_by_duckdb(head: bytes) -> bool:
    """Return whether DuckDB itself opens a file with these first bytes, instead of being handed its columns."""
    return any(head[place:].startswith(mark) for place, mark, format in _READ if format in ("parquet", "duckdb"))


def _told(head: bytes, shown: str, may_be_text: bool, packed: str = "") -> str | None:
    for place, mark, format in _READ:
        if head[place:].startswith(mark):
            return format
    for place, mark, name, remedy in _NAMED:
        if head[place:].startswith(mark):
            raise BadData(f"{shown} is {packed}{name}, which is not read; {remedy}")
    if _STATA.match(head):
        return "stata"
    if may_be_text:
        return None
    if _PAGE.match(head):
        raise BadData(f"{shown} is {packed}a web page or an XML file, which is not read; export the table as CSV")
    if _ARRAY.match(head):
        raise BadData(f"{shown} is {packed}one JSON array; write JSON lines, one object {{...}} a line")
    return "json" if _OBJECT.match(head) else None


def _in_zip(path: str, shown: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        raise BadData(f"{shown} is a zip archive, and a damaged one") from None
    if "xl/workbook.xml" in names:
        return "excel"
    for member, name, remedy in _IN_ZIP:
        if member in names:
            raise BadData(f"{shown} is {name}, which is not read; {remedy}")
    raise BadData(f"{shown} is a zip archive; unpack it")


def _unpacked(path: str) -> bytes:
    """Return the first bytes in a gzip file; none if it is damaged, which whoever reads all of it will say."""
    try:
        with gzip.open(path, "rb") as file:
            return file.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return b""


def check_is_file(path: str, shown: str) -> bytes:
    """Check that a file is there and can be opened, and return its first bytes.

    Raises:
        BadData: it is not, or cannot.
    """
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise BadData(f"{shown} is a directory; give one file, or files:FOLDER for all files in it")
        if not stat.S_ISREG(mode):
            raise BadData(f"{shown} is not a regular file; it is read twice, so a pipe cannot be a source")
        with open(path, "rb") as file:
            return file.read(_HEAD)
    except FileNotFoundError:
        raise BadData(f"{shown} does not exist") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) else "it is no path"
        raise BadData(f"{shown!r} cannot be opened: {reason}") from None

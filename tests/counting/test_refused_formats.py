"""What is no source is named by its format, and what it holds is not shown."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from hushcount.counting import ReadOptions, count_matching
from hushcount.errors import BadData

from .conftest import Write


def _zip(*members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member in members:
            archive.writestr(member, "secret")
    return buffer.getvalue()


_FILES = {
    "a Feather file of version 1": b"FEA1secret",
    "an old or encrypted Office file": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1secret",
    "an ORC file": b"ORC\n\x03secret",
    "an Avro file": b"Obj\x01secret",
    "an HDF5 file": b"\x89HDF\r\n\x1a\nsecret",
    "a NumPy file": b"\x93NUMPY\1secret",
    "a Python pickle": b"\x80\x04\x95secret",
    "an R workspace": b"RDX3\nsecret",
    "an R data file": gzip.compress(b"X\n\0\0\0\3secret"),
    "a gzip archive of an R workspace": gzip.compress(b"RDX3\nsecret"),
    "a portable SPSS file": b"ASCII SPSS PORT FILE     secret",
    "an Access database": b"\0\1\0\0Standard ACE DB\0secret",
    "a PDF document": b"%PDF-1.7 secret",
    "a web page or an XML file": b"<!DOCTYPE html><p>secret",
    "web page or an XML": b'\xef\xbb\xbf<?xml version="1.0"?><secret/>',
    "packed by bzip2": b"BZh91AYsecret",
    "packed by xz": b"\xfd7zXZ\0secret",
    "packed by Zstandard": b"\x28\xb5\x2f\xfdsecret",
    "a 7z archive": b"7z\xbc\xaf\x27\x1csecret",
    "a picture": b"\x89PNGsecret",
    "Parquet packed by gzip; unpack it": gzip.compress(b"PAR1secret"),
    "a zip archive; unpack it": _zip("people.csv"),
    "a zip archive, and a damaged one": b"PK\x03\x04secret",
    "a binary Excel file": _zip("xl/workbook.bin"),
    "an OpenDocument file": _zip("content.xml"),
    "a Word document": _zip("word/document.xml"),
}


@pytest.mark.parametrize("name", _FILES)
def test_the_format_is_named(write: Write, name: str) -> None:
    with pytest.raises(BadData) as caught:
        count_matching(write(_FILES[name], "secret.dat"), "a = 1")
    assert name in str(caught.value)
    assert "secret" not in str(caught.value).replace("secret.dat", "")


def test_a_declared_csv_may_begin_like_a_page(write: Write) -> None:
    for header in ("<html", "[[a", '{"a'):
        path = write(f"{header},b\n1,2\n")
        assert count_matching(path, "b = 2", ReadOptions(format="csv")).matching == 1
    with pytest.raises(BadData, match="a PDF document"):
        count_matching(write(b"%PDF-1.7"), "b = 2", ReadOptions(format="csv"))


def test_headers_of_letters_are_no_format(write: Write) -> None:
    for header in ("ORCHARD", "RDX2", "Obj", "BZ", "hello", "qrs", "X"):
        assert count_matching(write(f"{header},b\n1,2\n"), "b = 2").matching == 1

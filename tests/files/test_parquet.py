"""Parquet files that are read whole: what cannot be spelled, and what is no Parquet, is one kind of error."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from hushcount.files.parquet import parquet_table


def test_all_of_it(tmp_path):
    table = pa.table({"naïve": ["é", None], "x": [1, 2]})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert parquet_table(tmp_path / "t.parquet") == table


def test_what_utf_8_cannot_spell(unspelled):
    with pytest.raises(ValueError, match=r"^(UnicodeDecodeError|ArrowInvalid)$"):
        parquet_table(unspelled)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1"])
def test_no_parquet(tmp_path, content):
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^[A-Za-z]+$"):
        parquet_table(path)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        parquet_table(tmp_path / "t.parquet")
    with pytest.raises(IsADirectoryError):
        parquet_table(tmp_path)

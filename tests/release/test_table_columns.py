"""A receipt and its reading as tables: keys of their types beside the counts, for Arrow, pandas, polars and DuckDB."""

from __future__ import annotations

import builtins
from datetime import date
from decimal import Decimal
from html.parser import HTMLParser

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from pydantic import ValidationError
from receipts import without_keys

from hushcount import BadUse, ReadOptions, TableReceipt, interpret_table, release_count, release_table
from hushcount.errors import BadData, InvalidParameter

CERTAIN = 1000


@pytest.fixture
def polars():
    return pytest.importorskip("polars")


SOURCE = "n,t,d,b,x\n1,a,2020-01-01,true,1.5\n2,<b>,2020-02-29,false,2.5\n"
TYPES = {"n": "integer", "t": "text", "d": "date", "b": "boolean"}


@pytest.fixture
def release(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(SOURCE)

    def release(by, keys, epsilon=CERTAIN, **options):
        return release_table(path, by, keys, epsilon, options=ReadOptions(types=TYPES), **options)

    return release


@pytest.fixture
def every(release):
    return release(
        ["n", "t", "d", "b"],
        [(1, "a", date(2020, 1, 1), True), (2, "<b>", date(2020, 2, 29), False), (None, None, None, None)],
    )


KEYS = {
    "n": [1, 2, None, None],
    "t": ["a", "<b>", None, None],
    "d": [date(2020, 1, 1), date(2020, 2, 29), None, None],
    "b": [True, False, None, None],
}
COUNTS = {"is_other": [False, False, False, True], "released": [1, 1, 0, 0]}
ARROW = {"n": pa.int64(), "t": pa.string(), "d": pa.date32(), "b": pa.bool_(), "is_other": pa.bool_()}


def test_keys_have_their_types(every):
    table = every.to_arrow()
    assert table.to_pydict() == KEYS | COUNTS
    assert table.schema == pa.schema(ARROW | {"released": pa.int64()})


def test_a_receipt_is_read_as_an_arrow_stream(every):
    assert pa.table(every) == every.to_arrow()
    assert pd.DataFrame.from_arrow(every)["released"].tolist() == [1, 1, 0, 0]
    assert duckdb.sql("SELECT sum(released) FROM every WHERE n = 2").fetchall() == [(1,)]
    assert duckdb.sql("SELECT t FROM every WHERE released = 1 ORDER BY t").fetchall() == [("<b>",), ("a",)]


def test_whole_numbers_stay_whole_in_pandas(every):
    frame = every.to_pandas()
    assert frame.dtypes.astype(str).to_dict() == {
        **{"n": "Int64", "t": "str", "d": "object", "b": "boolean", "is_other": "bool", "released": "int64"}
    }
    assert frame["n"].tolist()[:2] == [1, 2]
    assert frame["n"].isna().tolist() == [False, False, True, True]


def test_polars_takes_it_as_it_is(every, polars):
    assert polars.DataFrame(every).to_dict(as_series=False) == KEYS | COUNTS
    assert polars.DataFrame(interpret_table(every, level="0.9")).height == 4
    assert every.to_polars().schema["n"] == polars.Int64
    assert every.to_polars().to_dict(as_series=False) == KEYS | COUNTS


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_what_is_not_installed_is_said(every, monkeypatch, name):
    real = builtins.__import__

    def without(module, *rest):
        if module.split(".")[0] == name:
            raise ImportError(module)
        return real(module, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BadUse, match=f"^to_{name} needs the package {name}, which is not installed$"):
        getattr(every, f"to_{name}")()


def test_the_reading_stands_beside_the_keys(every):
    table = interpret_table(every, level="0.9").to_arrow()
    assert table.to_pydict() == {
        **KEYS,
        **COUNTS,
        "maximum": [2] * 4,
        "lower": [1, 1, 0, 0],
        "upper": [1, 1, 0, 0],
        "confidence_set": ["1", "1", "0", "0"],
        "most_likely": ["1", "1", "0", "0"],
    }
    assert interpret_table(every).to_arrow().column_names[-2:] == ["released", "maximum"]


def test_single_counts_have_numbers(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(SOURCE)
    receipts = [release_count(path, where, CERTAIN) for where in ("n = 1", "n > 0")]
    found = interpret_table(receipts, level="0.9").to_arrow().select(["cell", "released", "upper"])
    assert found.to_pydict() == {"cell": [1, 2], "released": [1, 2], "upper": [1, 2]}


def test_a_column_with_the_name_of_a_count_is_told_apart(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("released,released_key\n1,2\n")
    receipt = release_table(path, ["released", "released_key"], [(1, 2)], CERTAIN, undeclared="left-out")
    assert receipt.to_arrow().to_pydict() == {
        **{"released_key": [1], "released_key_key": [2], "is_other": [False], "released": [1]}
    }


@pytest.mark.parametrize("keys", [[10**30, 1], [Decimal("1.50"), Decimal(2)]])
def test_decimals_and_numbers_beyond_64_bits(tmp_path, keys):
    path = tmp_path / "data.parquet"
    parquet.write_table(pa.table({"n": pa.array([Decimal(1)], pa.decimal128(38, 2))}), path)
    receipt = release_table(path, "n", keys, CERTAIN, undeclared="left-out")
    assert TableReceipt.from_json(receipt.to_json()).to_arrow()["n"].to_pylist() == list(map(Decimal, keys))


# --- in the receipt ---------------------------------------------------------------------------------------------------


def test_keys_survive_a_trip_through_json(every):
    again = TableReceipt.from_json(every.to_json())
    assert again == every
    assert again.schema_version == 3
    assert again.to_arrow() == every.to_arrow()
    assert [column.kind for column in again.keys] == ["integer", "text", "date", "boolean"]


def test_receipts_of_earlier_versions_open(every):
    old = without_keys(every)
    assert '"keys"' not in old.to_json()
    assert TableReceipt.from_json(old.to_json()) == old
    assert old.schema_version == 1
    assert old.to_arrow().to_pydict() == {"cell": [1, 2, 3, 4], **COUNTS}
    assert old.naming(every.declared_keys) == every


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts["keys"][0]["spelled"].__setitem__(0, "7"),
        lambda facts: facts["keys"][0].update(column="m"),
        lambda facts: facts["keys"].pop(),
        lambda facts: facts["keys"].clear(),
        lambda facts: facts["keys"][0]["spelled"].pop(),
        lambda facts: facts["keys"][0].update(kind="number"),
        lambda facts: facts.update(schema_version=1),
        lambda facts: facts.update(keys=None),
        lambda facts: facts.update(maximum=2**62),
    ],
)
def test_keys_must_be_those_of_the_table(every, change):
    facts = every.model_dump(mode="json")
    change(facts)
    with pytest.raises(ValidationError):
        TableReceipt.model_validate_json(TableReceipt.model_construct(**facts).model_dump_json(warnings=False))


def test_other_keys_are_not_those_of_the_table(every, release):
    with pytest.raises(InvalidParameter, match=r"^keys must be those that the table was released with"):
        every.naming(release("n", [1, 2]).declared_keys)
    with pytest.raises(BadData, match=r"^not a receipt: "):
        TableReceipt.from_json(every.to_json().replace('"2020-01-01"', '"2020-01-02"'))


# --- in a notebook ----------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a&amp;b", "\x1b[31m", "\u202egnp"]


@pytest.mark.parametrize("read", [lambda receipt: receipt, lambda r: interpret_table(r, level="0.9"), interpret_table])
def test_keys_are_texts_in_a_notebook(release, read):
    page = Page(read(release("t", HOSTILE, where="t <> '<b>'"))._repr_html_())
    assert set(page.tags) <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "pre", "br"}
    if "table" in page.tags:
        for key in HOSTILE[:3]:
            assert {key, '"' + key.replace('"', '""') + '"'} & set(page.texts)
        assert {"\\x1b[31m", "\\u202egnp"} <= set(page.texts)


def test_long_tables_are_cut_in_a_notebook(release):
    page = Page(release("n", range(100))._repr_html_())
    assert page.tags.count("tr") == 21
    assert "... and 81 more" in page.texts

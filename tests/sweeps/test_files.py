"""Outputs: both forms give back what went in, and refuse what is none."""

import pickle
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pyarrow import csv as arrow_csv, parquet

from hushcount import BadData
from hushcount.errors import InvalidParameter
from hushcount.sweeps import MechanismRow, MediumRow, mechanism_grid, medium_grid
from hushcount.sweeps.columns import columns
from hushcount.sweeps.files import content, csv_text, form_of, read_rows

BEHIND = [point.row() for point in medium_grid("psk", "1:2", "0,1/3", 0, es_n0_db="inf,3")]
WITHOUT = [point.row() for point in mechanism_grid("nearest,redrawn-geometric", 3, "1", 0)]
IN_MU = [point.row() for point in mechanism_grid(None, 1, mu="0.5,1/3")]
IN_RHO = [point.row() for point in mechanism_grid("nearest", "0:2", rho="2")]
INFINITE = [point.row() for point in mechanism_grid("randomized-response", 1, "0", "0.5")]


@pytest.mark.parametrize("form", [".csv", ".parquet"])
@pytest.mark.parametrize(
    "rows", [BEHIND, WITHOUT, INFINITE, IN_MU, IN_RHO], ids=["medium", "mechanism", "infinite", "mu", "rho"]
)
def test_there_and_back(tmp_path, form, rows):
    file, kind = tmp_path / "rows", type(rows[0])
    written = content(form, kind, rows)
    file.write_bytes(written)
    assert read_rows(file, form, kind) == rows
    assert content(form, kind, read_rows(file, form, kind)) == written


def test_parquet_columns(tmp_path):
    file = tmp_path / "rows.parquet"
    file.write_bytes(content(".parquet", MediumRow, BEHIND))
    schema = parquet.read_schema(file)
    assert schema.names == list(columns(MediumRow))
    kinds = {name: str(schema.field(name).type) for name in ("medium", "n", "epsilon", "lower", "coherent", "u2")}
    assert kinds == {
        "medium": "string", "n": "int64", "epsilon": "string", "lower": "double", "coherent": "bool", "u2": "double",
    }  # fmt: skip
    assert not schema.field("lower").nullable
    assert schema.field("u2").nullable


def test_csv_is_read_by_others(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(content(".csv", MediumRow, BEHIND))
    table = arrow_csv.read_csv(file)
    assert table["lower"].to_pylist() == [row.lower for row in BEHIND]
    assert csv_text(MechanismRow, []).count("\n") == 1


@pytest.mark.parametrize("name", ["a.txt", "a", "csv", "a.csv.gz"])
def test_other_endings(name):
    with pytest.raises(InvalidParameter, match=r"^output must be a file name that ends in .csv or .parquet"):
        form_of(name)
    assert form_of("a.CSV") == ".csv"


@pytest.mark.parametrize("form", [".csv", ".parquet"])
@pytest.mark.parametrize("held", [b"a,b\n1,2\n", b"\xff\xfe", b"PAR1PAR1", b"\n", b'"'], ids=repr)
def test_something_else_is_no_output(tmp_path, form, held):
    file = tmp_path / "mine"
    file.write_bytes(held)
    with pytest.raises(BadData, match="is not the output of such a sweep"):
        read_rows(file, form, MediumRow)


@pytest.mark.parametrize("form", [".csv", ".parquet"])
def test_the_other_kind_of_sweep_is_no_output(tmp_path, form):
    file = tmp_path / "mine"
    file.write_bytes(content(form, MechanismRow, WITHOUT))
    with pytest.raises(BadData, match="is not the output of such a sweep"):
        read_rows(file, form, MediumRow)


@pytest.mark.parametrize(
    ("old", "new"), [("false", "maybe"), ("nearest,3", "nearest,x"), (",0.0,", ",nan,"), (",3,", ",,")]
)
def test_cells_of_another_type(tmp_path, old, new):
    file = tmp_path / "rows.csv"
    text = csv_text(MechanismRow, WITHOUT)
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(BadData, match="is not the output of such a sweep"):
        read_rows(file, ".csv", MechanismRow)


@pytest.mark.parametrize("form", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("row", "spoilt"),
    [
        (WITHOUT[0], {"epsilon": "x"}),
        (WITHOUT[0], {"epsilon": "inf"}),
        (WITHOUT[0], {"delta": "nan"}),
        (WITHOUT[0], {"delta": "1/0"}),
        (BEHIND[0], {"es_n0_db": "-inf"}),
        (BEHIND[0], {"es_n0_db": " "}),
        (BEHIND[0], {"eb_n0_db": "9" * 5000}),
        (BEHIND[0], {"p": "inf"}),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, dict) else "",
)
def test_texts_that_are_no_numbers(tmp_path, form, row, spoilt):
    file = tmp_path / "rows"
    file.write_bytes(content(form, type(row), [row, replace(row, **spoilt)]))
    with pytest.raises(BadData, match="is not the output of such a sweep"):
        read_rows(file, form, type(row))


@pytest.mark.parametrize("form", [".csv", ".parquet"])
def test_a_table_that_is_cut_off_or_spoilt(tmp_path, form):
    """Either the rows, or an error of ours."""
    file, written = tmp_path / "rows", content(form, MediumRow, BEHIND)
    chance, refused = Random(1), 0
    for turn in range(60):
        spoilt = bytearray(written)
        if turn % 2:
            del spoilt[chance.randrange(len(spoilt)) :]
        for _ in range(chance.choice([0, 1, 20]) if spoilt else 0):
            spoilt[chance.randrange(len(spoilt))] = chance.randrange(256)
        file.write_bytes(spoilt)
        try:
            read_rows(file, form, MediumRow)
        except BadData:
            refused += 1
    assert refused > 30


def test_metadata_is_not_run(tmp_path):
    """What others keep in a Parquet file beside the columns, such as pickled objects, is not looked at."""

    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    file = tmp_path / "rows"
    file.write_bytes(content(".parquet", MechanismRow, WITHOUT))
    table = parquet.read_table(file, use_threads=False, pre_buffer=False)
    trap = pickle.dumps(Trap())
    extension = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": trap}
    schema = table.schema.set(0, table.schema.field(0).with_metadata(extension)).with_metadata({b"pandas": trap})
    parquet.write_table(table.cast(schema), file)
    assert read_rows(file, ".parquet", MechanismRow) == WITHOUT
    assert not (tmp_path / "sprung").exists()

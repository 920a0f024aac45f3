"""Matrices and logs of releases from files."""

import gzip
import pickle
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushcount import read_matrix, read_samples
from hushcount.errors import BadData, BadUse, HushcountError, InvalidParameter

MATRIX = [[0.5, 0.25, 0.25], [0.125, 0.5, 0.375]]


def test_three_formats_one_matrix(tmp_path):
    (tmp_path / "m.csv").write_text("0.5,0.25,.25\n 1.25e-1, 0.5 ,0.375\n\n")
    np.save(tmp_path / "m.npy", np.array(MATRIX))
    parquet.write_table(pa.table({str(j): [row[j] for row in MATRIX] for j in range(3)}), tmp_path / "m.parquet")
    for name in ("m.csv", "m.npy", "m.parquet"):
        found = read_matrix(tmp_path / name)
        assert np.array_equal(found, MATRIX)
        assert found.dtype == np.float64
        assert np.array_equal(read_matrix(str(tmp_path / name)), MATRIX)
    (tmp_path / "m.CSV.gz").write_bytes(gzip.compress((tmp_path / "m.csv").read_bytes()))
    assert np.array_equal(read_matrix(tmp_path / "m.CSV.gz"), MATRIX)
    (tmp_path / "whole.CSV").write_bytes(b"\xef\xbb\xbf1,0\r\n0,1\r\n")
    assert np.array_equal(read_matrix(tmp_path / "whole.CSV"), np.eye(2))


def test_lines_of_comment_above_a_matrix(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text('# anything, "even\n#this\n\n1,0\n0,1\n')
    assert np.array_equal(read_matrix(path), np.eye(2))
    for text, line in (("# a\n1,0\n# b\n0,1\n", 3), ("# a\nx,y\n", 2)):
        path.write_text(text)
        with pytest.raises(BadData, match=f"line {line} holds something that is not a number"):
            read_matrix(path)
    path.write_text("# a\n")
    with pytest.raises(BadData, match="holds no row"):
        read_matrix(path)
    (tmp_path / "log.csv").write_text("# a\n1,2\n")
    with pytest.raises(BadData, match="line 1 holds something that is not an integer"):
        read_samples(tmp_path / "log.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,0\n0,1\n", "line 1 holds something that is not a number; a header is not expected$"),
        ("1,0\n0,x\n", "line 2 holds something that is not a number$"),
        ("1,0\nnan,1\n", "line 2 holds something that is not a number$"),
        ("1,0\n1_0,1\n", "line 2 holds something that is not a number$"),
        ("1,0\n0,1,0\n", "line 2 has 3 cells, the first row 2$"),
        ("1,0\n,1\n", "line 2 holds something that is not a number$"),
        ("", "holds no row$"),
        ("0.5,0.4\n0,1\n", r"row 0 of matrix must sum to 1 \(its sum is 0\.9\)$"),
        ("0.5,0.499\n0,1\n", r"\(its sum is 0\.999\); if that is rounding, divide each row by its sum, as `normalise`"),
        ("0.5,0.9\n0.5,0.1\n", "transpose it$"),
        ('1,"0\n', "not a CSV file in UTF-8"),
    ],
)
def test_bad_csv(tmp_path, text, message):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(BadData, match=message) as caught:
        read_matrix(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " "])
def test_a_declared_delimiter(tmp_path, delimiter):
    """It is not guessed, and a decimal comma is no number."""
    path, log = tmp_path / "m.csv", tmp_path / "log.csv"
    path.write_text("# a, b\n" + "\n".join(delimiter.join(map(str, row)) for row in MATRIX))
    assert np.array_equal(read_matrix(path, delimiter=delimiter), MATRIX)
    log.write_text(delimiter.join(["true", "released"]) + "\n" + delimiter.join("01"))
    assert read_samples(log, delimiter=delimiter).tolist() == [[0, 1]]
    for name, mark in {";": "';'", "\t": "tab", "|": "'|'"}.items():
        if name == delimiter:
            hint = rf"; if {re.escape(mark)} separates the fields, declare it: delimiter \(--delimiter\)$"
            with pytest.raises(BadData, match=hint):
                read_matrix(path)
            with pytest.raises(BadData, match=hint):
                read_samples(log)
    path.write_text(f"0,5{delimiter}0,5\n0,5{delimiter}0,5\n")
    with pytest.raises(BadData, match=r"line 1 holds something that is not a number; the decimal mark is a point$"):
        read_matrix(path, delimiter=delimiter)
    path.write_text("1,0\n0,1\n")
    with pytest.raises(BadData, match=r"if ',' separates the fields"):
        read_matrix(path, delimiter=delimiter)


@pytest.mark.parametrize(
    ("delimiter", "rule"),
    [
        ("", "one ASCII"),
        (";;", "one ASCII"),
        (None, "one ASCII"),
        ("e", "no quote"),
        ("5", "no quote"),
        ('"', "no quote"),
    ]
    + [(mark, "no part of a number") for mark in "+-.#"],
)
def test_what_is_no_delimiter(tmp_path, delimiter, rule):
    (tmp_path / "m.csv").write_text("1,0\n0,1\n")
    for read in (read_matrix, read_samples):
        with pytest.raises(InvalidParameter, match=f"^delimiter must be {rule}"):
            read(tmp_path / "m.csv", delimiter=delimiter)
    np.save(tmp_path / "m.npy", np.eye(2))
    with pytest.raises(InvalidParameter, match=r"^delimiter must be left out for a file that is not CSV"):
        read_matrix(tmp_path / "m.npy", delimiter=";")


def test_not_text(tmp_path):
    (tmp_path / "m.csv").write_bytes(b"1,0\n\xff\xfe,1\n")
    with pytest.raises(BadData, match="not a CSV file in UTF-8"):
        read_matrix(tmp_path / "m.csv")


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def test_pickles_are_never_loaded(tmp_path):
    np.save(tmp_path / "objects.npy", np.array([[Trap()]], dtype=object), allow_pickle=True)
    (tmp_path / "pickle.npy").write_bytes(pickle.dumps(Trap()))
    for name in ("objects.npy", "pickle.npy"):
        for read in (read_matrix, read_samples):
            with pytest.raises(BadData, match="not an NPY file of plain numbers"):
                read(tmp_path / name)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1.0, 0.0]), "two-dimensional"),
        (np.array([[1j]]), "real numbers"),
        (np.array([["1"]]), "real numbers"),
        (np.array([[np.nan, 1.0]]), "row 0, column 0 of matrix must be a finite number"),
        (np.zeros((0, 0)), "two-dimensional"),
    ],
)
def test_bad_arrays(tmp_path, array, message):
    np.save(tmp_path / "m.npy", array)
    with pytest.raises(BadData, match=message):
        read_matrix(tmp_path / "m.npy")


def test_cut_off_files(tmp_path):
    np.save(tmp_path / "whole.npy", np.eye(40))
    (tmp_path / "cut.npy").write_bytes((tmp_path / "whole.npy").read_bytes()[:500])
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    for name in ("cut.npy", "empty.npy", "cut.parquet"):
        with pytest.raises(BadData, match="not a"):
            read_matrix(tmp_path / name)


@pytest.mark.parametrize(
    "column", [pa.array(["1"]), pa.array([None], pa.float64()), pa.array([True]), pa.array([b"1"])]
)
def test_bad_parquet(tmp_path, column):
    parquet.write_table(pa.table({"x": column}), tmp_path / "m.parquet")
    with pytest.raises(BadData, match="column 'x' must hold numbers, without missing values"):
        read_matrix(tmp_path / "m.parquet")


def test_missing_files_and_other_endings(tmp_path):
    with pytest.raises(BadData, match="does not exist"):
        read_matrix(tmp_path / "none.csv")
    with pytest.raises(BadUse, match=r"must end in \.csv, \.npy or \.parquet"):
        read_matrix(tmp_path / "m.txt")
    for name in ("none.npy", "none.parquet", "m.xlsx", "m.gz", "m.npy.gz", "none.csv.gz"):
        with pytest.raises(HushcountError):
            read_samples(tmp_path / name)


def test_samples(tmp_path):
    pairs = [[0, 3], [1, -2], [1, 0]]
    (tmp_path / "with.csv").write_text("true,released\n0,3\n1,-2\n1,0\n")
    (tmp_path / "without.csv").write_text("0,3\n1,-2\n1,0\n")
    np.save(tmp_path / "s.npy", np.array(pairs, dtype=np.int16))
    parquet.write_table(pa.table({"true": [0, 1, 1], "released": [3, -2, 0]}), tmp_path / "s.parquet")
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress((tmp_path / "with.csv").read_bytes()))
    for name in ("with.csv", "without.csv", "s.csv.gz", "s.npy", "s.parquet"):
        found = read_samples(tmp_path / name)
        assert found.tolist() == pairs
        assert found.dtype == np.int64


@pytest.mark.parametrize(
    "text", ["0,1.5\n", "0\n1\n", "0,1,2\n", "true,released\n", "0,x\n", "99999999999999999999,1\n"]
)
def test_bad_samples(tmp_path, text):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(BadData):
        read_samples(tmp_path / "s.csv")
    np.save(tmp_path / "s.npy", np.zeros((3, 2)))
    with pytest.raises(BadData, match=r"s\.npy: pairs must be integers of at most 64 bits"):
        read_samples(tmp_path / "s.npy")


def test_the_names_of_the_columns_count_where_there_are_some(tmp_path):
    """Whatever the format: swapped columns would be another log."""
    for names in (
        ["released", "true"],
        ["a", "b"],
        ["true"],
        ["true", "released", "more"],
        ["True", "Released"],
    ):
        table = pa.Table.from_arrays([pa.array([0, 1])] * len(names), names=names)
        parquet.write_table(table, tmp_path / "s.parquet")
        told = rf"s\.parquet: the columns must be true and released, in this order \(got {re.escape(str(names))}\)$"
        with pytest.raises(BadData, match=told):
            read_samples(tmp_path / "s.parquet")
        (tmp_path / "s.csv").write_text(",".join(names) + "\n" + ",".join("0" * len(names)) + "\n")
        with pytest.raises(
            BadData, match=r"line 1 holds something that is not an integer; a header must be true,released$"
        ):
            read_samples(tmp_path / "s.csv")


def test_a_true_count_below_0(tmp_path):
    pairs = np.array([[0, -3], [4, 1], [-1, 1]])
    np.savetxt(tmp_path / "s.csv", pairs, fmt="%d", delimiter=",")
    np.save(tmp_path / "s.npy", pairs)
    parquet.write_table(pa.table({"true": pairs[:, 0], "released": pairs[:, 1]}), tmp_path / "s.parquet")
    for name in ("s.csv", "s.npy", "s.parquet"):
        with pytest.raises(BadData, match=rf"{name}: the true count in row 2 of pairs must be an integer >= 0$"):
            read_samples(tmp_path / name)


@pytest.mark.parametrize("shape", ["(10000000000000000000000000000000, 2)", "(True, True)", "(-1, 2)"])
def test_an_npy_header_that_asks_for_the_moon(tmp_path, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    path = tmp_path / "m.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    with pytest.raises(BadData, match=r"m\.npy: "):
        read_matrix(path)


@pytest.mark.parametrize("bad", [2**63, 2**64 - 1])
def test_counts_that_an_integer_of_64_bits_would_wrap(tmp_path, bad):
    np.save(tmp_path / "log.npy", np.array([[1, bad], [2, 3]], dtype=np.uint64))
    with pytest.raises(BadData, match="integers below 2"):
        read_samples(tmp_path / "log.npy")


def test_rows_are_divided_where_that_is_asked(tmp_path):
    (tmp_path / "m.csv").write_text("1,3\n0.333,0.333\n")
    assert read_matrix(tmp_path / "m.csv", normalise=True).tolist() == [[0.25, 0.75], [0.5, 0.5]]
    (tmp_path / "m.csv").write_text("1,3\n0,0\n")
    with pytest.raises(BadData, match=r"m\.csv: row 1 of matrix must have an entry above 0"):
        read_matrix(tmp_path / "m.csv", normalise=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
def test_parquet_leaves_no_thread_behind(tmp_path):
    """One of pyarrow's that still ran when the interpreter ended could abort the process after its output."""
    path = tmp_path / "m.parquet"
    parquet.write_table(pa.table({str(j): [1 / 32] * 4 for j in range(32)}), path)
    program = f"""
import os, pyarrow.parquet, hushcount
before = set(os.listdir("/proc/self/task"))
assert hushcount.read_matrix({str(path)!r}).shape == (4, 32)
print(len(set(os.listdir("/proc/self/task")) - before))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("header", ["{'descr': '<f8', (", "{'descr'", "  {\n 1", "(" * 5000, "\\"])
def test_a_malformed_npy_header(tmp_path, header):
    for version, size in ((b"\x01\x00", 2), (b"\x02\x00", 4)):
        text = header.encode() + b"\n"
        (tmp_path / "m.npy").write_bytes(b"\x93NUMPY" + version + len(text).to_bytes(size, "little") + text)
        with pytest.raises(BadData, match="not an NPY file of plain numbers"):
            read_matrix(tmp_path / "m.npy")


@pytest.mark.parametrize("path", ["", "a\0.csv"])
def test_no_path(path):
    for read in (read_matrix, read_samples):
        with pytest.raises(BadUse, match=r"^path must be the path of a file, neither empty nor with a null"):
            read(path)


def test_columns_of_integers_with_and_without_sign(tmp_path):
    path = tmp_path / "log.parquet"
    columns = {"true": pa.array([0, 1], pa.int64()), "released": pa.array([2, 3], pa.uint64())}
    parquet.write_table(pa.table(columns), path)
    assert read_samples(path).tolist() == [[0, 2], [1, 3]]
    parquet.write_table(pa.table({**columns, "released": pa.array([2, 2**63], pa.uint64())}), path)
    with pytest.raises(BadData, match="integers"):
        read_samples(path)


def test_an_old_header_is_read_without_a_warning(tmp_path):
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1L, 1L), }".ljust(117) + b"\n"
    (tmp_path / "old.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00" + header + (1).to_bytes(8, "little"))
    assert read_matrix(tmp_path / "old.npy").tolist() == [[1.0]]

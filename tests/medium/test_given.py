"""Media from matrices and files."""

import math

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushcount.errors import BadData, BadUse, InvalidParameter, TooLarge
from hushcount.medium import from_matrix, is_lossless, read_medium
from hushcount.medium.channels.given import as_medium

MATRIX = [[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0, 0, 1]]


def test_a_matrix_is_taken_as_it_is():
    medium = from_matrix(MATRIX)
    assert medium.matrix.tolist() == MATRIX
    assert medium.description == "a given matrix"
    assert from_matrix(MATRIX, description="mine").description == "mine"
    assert from_matrix(np.eye(3, dtype=np.int8)).matrix.dtype == np.float64


@pytest.mark.parametrize("total", [0.9999, 1.001, 1 + 1e-9, 0.5, 2])
def test_a_row_that_does_not_sum_to_one_is_named(total):
    matrix = np.array(MATRIX)
    matrix[1] *= total
    with pytest.raises(BadUse, match=r"^row 1 of matrix must sum to 1 \(its sum is "):
        from_matrix(matrix)
    assert np.allclose(from_matrix(matrix, normalise=True).matrix, MATRIX, rtol=1e-15, atol=0)


class Channel:
    def __init__(self, matrix):
        self.transition_matrix = matrix


@pytest.mark.parametrize("channel", [Channel(MATRIX), Channel(lambda: np.array(MATRIX))])
def test_an_object_with_a_transition_matrix(channel):
    assert from_matrix(channel) == as_medium(channel) == from_matrix(MATRIX)
    with pytest.raises(InvalidParameter, match=r"^matrix must be square"):
        from_matrix(Channel([[1], [1]]))
    erasures = [[0.9, 0.1, 0], [0, 0.1, 0.9]]
    assert from_matrix(Channel(erasures)) == from_matrix(erasures)
    assert is_lossless(channel, 1).verdict is is_lossless(MATRIX, 1).verdict


def test_rounding_is_accepted():
    tenths = np.full((10, 10), 0.1)
    assert sum(tenths[0]) != 1
    assert np.array_equal(from_matrix(tenths).matrix, tenths)
    thirds = np.full((3, 3), 1 / 3)
    assert np.array_equal(from_matrix(thirds).matrix, thirds)


def test_normalise():
    assert from_matrix([[2, 2], [0, 7]], normalise=True).matrix.tolist() == [[0.5, 0.5], [0, 1]]
    for scale in (1e308, 5e-324, 1e-300):
        found = from_matrix([[scale, scale], [0, scale]], normalise=True).matrix
        assert found.tolist() == [[0.5, 0.5], [0, 1]]
    single = np.array(MATRIX, dtype=np.float32) / np.float32(3)
    assert np.allclose(from_matrix(single, normalise=True).matrix, MATRIX, rtol=1e-6)


@pytest.mark.parametrize(
    ("matrix", "kind", "message"),
    [
        ([[1, 0], [0, 0]], BadUse, "^row 1 of matrix must have an entry above 0 to be divided by its sum$"),
        ([[1, 0], [-1, 2]], InvalidParameter, "^row 1, column 0 of matrix must be a finite number >= 0"),
        ([[1, 0], [math.nan, 2]], InvalidParameter, "^row 1, column 0 of matrix"),
        ([[1, 0], [math.inf, 2]], InvalidParameter, "^row 1, column 0 of matrix"),
        ([[1, 0], [0, 1], [1, 0]], InvalidParameter, "^matrix must be square"),
        ([1, 0], InvalidParameter, "^matrix must be square"),
        ([[]], InvalidParameter, "^matrix must be square"),
        ([[1, 0], [0]], InvalidParameter, "^matrix must be rectangular"),
        ([["1", "0"], ["0", "1"]], InvalidParameter, "^matrix must be of real numbers"),
        ([[1 + 0j, 0], [0, 1]], InvalidParameter, "^matrix must be of real numbers"),
        ([[True, False], [False, True]], InvalidParameter, "^matrix must be of real numbers"),
        (np.eye(2, dtype=np.longdouble), InvalidParameter, "^matrix must be of real numbers"),
        (np.ma.masked_equal(np.eye(2), 0), InvalidParameter, "^matrix must be rectangular, without masked"),
        (np.eye(4097, dtype=np.int8), TooLarge, "4,096"),
    ],
)
@pytest.mark.parametrize("normalise", [False, True])
def test_no_matrix_at_all(matrix, kind, message, normalise):
    if not normalise and kind is BadUse:
        message = "^row 1 of matrix must sum to 1"
    with pytest.raises(kind, match=message):
        from_matrix(matrix, normalise=normalise)


@pytest.mark.slow
def test_three_formats_one_medium(tmp_path):
    (tmp_path / "T.csv").write_text("# my channel\n0.5,0.25,0.25\n0.125,0.5,0.375\n0,0,1\n")
    np.save(tmp_path / "T.npy", np.array(MATRIX))
    parquet.write_table(pa.table({str(j): [row[j] for row in MATRIX] for j in range(3)}), tmp_path / "T.parquet")
    for name in ("T.csv", "T.npy", "T.parquet"):
        for path in (tmp_path / name, str(tmp_path / name)):
            medium = read_medium(path)
            assert medium.matrix.tolist() == MATRIX
            assert medium.description == f"the matrix in '{name}'"
        assert np.array_equal(read_medium(tmp_path / name, normalise=True).matrix, MATRIX)


def test_files_are_read_strictly(tmp_path):
    path = tmp_path / "T.csv"
    for text, message in (
        ("0.5,0.4999\n0,1\n", "row 0 of matrix must sum to 1"),
        ("0.5,0.5\n0,1.001\n", "row 1 of matrix must sum to 1"),
        ("1\n1\n", "matrix must be square"),
        ("a,b\n1,0\n0,1\n", "line 1 holds something that is not a number"),
        ("", "holds no row"),
    ):
        path.write_text(text)
        with pytest.raises(BadData, match=message) as caught:
            read_medium(path)
        assert str(caught.value).startswith(f"{path}: ")
    path.write_text("1,1\n0,2\n")
    assert read_medium(path, normalise=True).matrix.tolist() == [[0.5, 0.5], [0, 1]]
    path.write_text("1,1\n0,0\n")
    with pytest.raises(BadData, match="row 1 of matrix must have an entry above 0"):
        read_medium(path, normalise=True)
    np.save(tmp_path / "o.npy", np.array([[None]], dtype=object), allow_pickle=True)
    with pytest.raises(BadData, match="not an NPY file of plain numbers"):
        read_medium(tmp_path / "o.npy")
    with pytest.raises(BadUse, match=r"must end in \.csv, \.npy or \.parquet"):
        read_medium(tmp_path / "T.txt")
    with pytest.raises(BadData, match="does not exist"):
        read_medium(tmp_path / "none.csv")
    with pytest.raises(InvalidParameter, match=r"^path must be"):
        read_medium(7)

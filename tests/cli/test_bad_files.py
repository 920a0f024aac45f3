"""Files that no command can read: bad data, whichever command reads them and whatever is wrong with them."""

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "FILE"],
        ["audit", "--samples", "FILE"],
        ["table", "DATA", "--by", "k", "--epsilon", "1", "--keys", "FILE"],
        ["table", "DATA", "--by", "k", "--epsilon", "1", "--totals", "FILE"],
        ["table", "FILE", "--by", "k", "--epsilon", "1", "--keys", "a"],
        ["release", "FILE", "--where", "k IN ('a')", "--epsilon", "1"],
        ["medium", "file", "FILE", "--epsilon", "1"],
        ["medium", "counts", "FILE", "--epsilon", "1"],
        ["plot", "mechanism", "--matrix", "FILE", "--output", "OUT"],
        ["plot", "sweep", "FILE", "--output", "OUT"],
        ["sweep", "--n", "1", "--epsilon", "1", "--output", "FILE"],
    ],
)
def test_parquet_that_cannot_be_spelled(run, unspelled, tmp_path, arguments):
    data, out = tmp_path / "data.csv", tmp_path / "out.png"
    data.write_text("k\na\n")
    given = {"FILE": unspelled, "DATA": data, "OUT": out}
    message = run(*[given.get(word, word) for word in arguments]).fails_with(3)
    assert str(unspelled) in message
    assert "caf" not in message
    assert not out.exists()


@pytest.mark.parametrize("blank", [" ", "\t", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u3000"])
def test_white_space_around_numbers(run, tmp_path, blank):
    """What is checked is what is converted: Python's `float` takes other white space for its own than `strip`."""
    matrix, samples = tmp_path / "matrix.csv", tmp_path / "samples.csv"
    matrix.write_text(f"{blank}1,0\n0,1{blank}\n", encoding="utf-8")
    assert run("audit", matrix).code == 0
    samples.write_text(f"{blank}0,1\n1,0{blank}\n" * 100, encoding="utf-8")
    assert run("audit", "--samples", samples).code == 0
    assert run("design", "--n", 1, "--epsilon", 1, "--loss", matrix).code == 0
    matrix.write_text(f"1{blank}0,0\n0,1\n", encoding="utf-8")
    assert "line 1 holds something that is not a number" in run("audit", matrix).fails_with(3)

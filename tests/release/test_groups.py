"""Tables by what is computed from a column: their price, their question, and what a budget lists."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from hushcount import Ledger, ReadOptions, Session, create_budget, release_table
from hushcount.ledger import Basis
from hushcount.release.table.receipt import TableReceipt

PINNED = ReadOptions(types={"age": "integer", "code": "text"})


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age,code\n5,N1\n17,N2\n18,S1\n70,S1\n,N1\n")
    (tmp_path / "codes.csv").write_text("code,part\nN1,north\nN2,north\nS1,south\n")
    return tmp_path / "people.csv"


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("max_cells", [None, 2])
def test_the_price_is_that_of_any_table(people: Path, adjacency: str, max_cells: int | None) -> None:
    given = {"unit": None if max_cells is None else "code", "max_cells": max_cells, "max_count": 9}
    options = ReadOptions(types={"code": "text"})
    bands, plain = (
        release_table(people, by, keys, "0.5", "1e-6", adjacency=adjacency, options=options, **given)
        for by, keys in (("age: 0-17, 18+", None), ("age", [5, 17]))
    )
    assert (bands.table_epsilon, bands.table_delta) == (plain.table_epsilon, plain.table_delta)
    assert bands.changed_cells == plain.changed_cells


def test_a_ledger_tells_bands_apart(people: Path, tmp_path: Path) -> None:
    create_budget(tmp_path / "l.ledger", "b", epsilon=20000, delta=0)
    codes = tmp_path / "codes.csv"
    with Session(people, tmp_path / "l.ledger", "b", options=PINNED) as session:
        for by, basis in (
            ("age: 0-17, 18+", Basis.CHARGED),
            ("age:00-17 ,18 +", Basis.STORED),
            ("age: 0-16, 18+", Basis.CHARGED),
            ("age: [0, 18), 18+", Basis.CHARGED),
            ("age by 18 from 0 to 36", Basis.CHARGED),
            ("age: [0, 18), [18, 36)", Basis.CHARGED),
            ("age: 0-17, 18+, missing", Basis.CHARGED),
            (f"code from {codes}", Basis.CHARGED),
            (f"code from {codes}", Basis.STORED),
        ):
            session.table(by, epsilon=1000)
            assert session.basis is basis, by
        codes.write_text("code,part\nN1,south\nN2,north\nS1,south\n")
        assert session.table(f"code from {codes}", epsilon=1000).released[:2] == (4, 1)
        assert session.basis is Basis.CHARGED
    said = [str(charge.question) for charge in Ledger(tmp_path / "l.ledger").history("b")]
    assert ", 3 cells by age (0-17, 18+), epsilon" in said[0]
    assert ", 3 cells by age (by 18 from 0 to 36), epsilon" in said[3]
    assert ", 3 cells by code from a file (part, sha256 " in said[6]
    assert str(tmp_path) not in "".join(said)


def test_a_receipt_says_what_its_cells_are(people: Path) -> None:
    receipt = release_table(people, ["age: 0-17, 18+", "code"], ["N1"], epsilon=1000)
    assert receipt.by == ("age: 0-17, 18+", "code")
    assert TableReceipt.model_validate_json(receipt.to_json()) == receipt
    assert receipt.released == (1, 0, 4)
    assert "by age (0-17, 18+) and by code\n" in str(receipt)
    assert str(receipt).splitlines()[2:5] == [
        "age      code  released",
        "0-17     N1           1",
        "18+      N1           0",
    ]


def test_known_totals_of_bands(people: Path) -> None:
    receipt = release_table(
        people, "age: 0-17, 18+", totals=[1, 9], undeclared="left-out", epsilon=1000, adjacency="add-remove"
    )
    assert (receipt.released, receipt.maxima) == ((1, 2), (1, 9))


def test_nobody_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "none.csv").write_text("age,d\n")
    for by in ("age: 0-17, 18+, missing", "age by 1 from 0 to 3", "month(d)"):
        assert set(release_table(tmp_path / "none.csv", by, epsilon=1).released) == {0}


def test_a_stored_receipt_names_its_cells(people: Path) -> None:
    by = [f"code from {people.parent / 'codes.csv'}", "age by 18 from 0 to 36"]
    receipt = TableReceipt.model_validate_json(release_table(people, by, epsilon=1000).to_json())
    assert receipt.to_arrow().column_names[:2] == ["part", "age"]
    assert receipt.to_arrow()["part"].to_pylist() == ["north", "north", "south", "south", None]
    assert receipt.to_arrow()["age"].to_pylist() == ["[0, 18)", "[18, 36)", "[0, 18)", "[18, 36)", None]
    with pytest.raises(ValueError, match="keys must be those of by"):
        TableReceipt.model_validate_json(receipt.to_json().replace('"age by', '"agee by'))


def test_a_stored_receipt_knows_how_its_dates_are_written(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("d\n31.12.2020\n01.02.2021\n")
    (tmp_path / "k.csv").write_text("d\n01.02.2021\n31.12.2020\n")
    options = ReadOptions(date_format="%d.%m.%Y")
    receipt = release_table(tmp_path / "d.csv", "d", tmp_path / "k.csv", epsilon=1000, options=options)
    again = TableReceipt.model_validate_json(receipt.to_json())
    assert again.released == (1, 1, 0)
    assert again.to_arrow()["d"].to_pylist() == [date(2021, 2, 1), date(2020, 12, 31), None]

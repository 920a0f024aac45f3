"""Tables whose groups come from the data: what is promised, by every small data set; what is told, and what is not."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from plain_tables import Row, plain_groups

from hushcount import Ledger, ReadOptions, Session, add_source, create_budget, interpret_table, release_table
from hushcount.counting import OpenTable
from hushcount.counting.cells.found import FoundCells, FoundTally
from hushcount.counting.cells.keys import group_list
from hushcount.counting.declared.units import Unit
from hushcount.counting.engines.engine import in_utf8
from hushcount.counting.meaning.types import Kind
from hushcount.errors import BadData, BadUse, BudgetExceeded, InvalidParameter, LedgerUnusable
from hushcount.ledger import Basis
from hushcount.mechanisms import nearest
from hushcount.plan import read_plan
from hushcount.promise import GaussianDP, SeveralPairs
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.reading import NoInverse, Publication, at_least
from hushcount.reading.sets import sets_of
from hushcount.release import FROM_DATA, TableReceipt
from hushcount.release.hidden import Hiding, hidden_lines
from hushcount.report import report_page

TRUE = {"epsilon": 1000, "delta": "0.999999999", "adjacency": "add-remove", "max_count": 10**6}
"""A promise at which, but for a chance of 1e-9, every group is shown with its true count."""

ROUNDING = 1e-12


def frame(keys: list[str | None], who: list[str] | None = None) -> pa.Table:
    columns = {"k": pa.array(keys, pa.string())}
    return pa.table(columns if who is None else {**columns, "who": pa.array(who, pa.string())})


def release(keys: list[str | None], **given: Any) -> TableReceipt:
    return release_table(frame(keys), "k", FROM_DATA, **{**TRUE, "source_name": "t", **given})


# --- what is promised -------------------------------------------------------------------------------------------------

TOP = 2
KEYS = ("a", "b", None)
A, B, MISSING, OUT = Row(("a",)), Row(("b",)), Row((None,)), Row(("a",), matches=False)
PARTS = {
    None: [[A], [B], [MISSING], [OUT]],
    1: [[], [A], [B], [A, A, B], [A, B, MISSING], [OUT, B]],
    2: [[], [A], [B], [A, A, B], [A, B, MISSING], [OUT, B]],
}
"""What one row, or the rows of one unit, may be, by the most groups in which it counts."""

SALTS = ("0" * 32, "1" * 32, "f" * 32)


def counted(data: list[list[Row]], max_cells: int | None, salt: str) -> tuple[int, ...]:
    rows = [row._replace(unit=f"u{unit}") for unit, part in data for row in part] if data else []
    found = plain_groups(rows, counts_units=max_cells is not None, max_cells=max_cells or 1, salt=salt)
    return tuple(found[key,] for key in KEYS)


def data_sets(max_cells: int | None, size: int) -> list[list[Any]]:
    """All data sets of so many rows or units; each unit has a name of its own, which it keeps."""
    parts = PARTS[max_cells]
    return [list(enumerate(chosen)) for n in range(size + 1) for chosen in combinations_with_replacement(parts, n)]


def neighbours(max_cells: int | None, salt: str) -> set[tuple[Any, Any]]:
    """Pairs of counts of all data sets that differ by one row or unit, either way."""
    pairs = set()
    for data in data_sets(max_cells, 3):
        before = counted(data, max_cells, salt)
        for at in range(len(data)):
            after = counted([*data[:at], *data[at + 1 :]], max_cells, salt)
            pairs |= {(before, after), (after, before)}
    return pairs


def law_of(matrix: Any, counts: tuple[int, ...]) -> Any:
    rows = [matrix[min(count, TOP)] for count in counts]
    return reduce(lambda law, row: np.multiply.outer(law, row).ravel(), rows, np.ones(1))


def excess(matrix: Any, pairs: set[tuple[Any, Any]], epsilon: Fraction) -> float:
    """The largest delta that a pair takes."""
    taken = (np.maximum(law_of(matrix, p) - exp(epsilon) * law_of(matrix, q), 0).sum() for p, q in pairs)
    return float(max(taken))


@pytest.mark.parametrize("max_cells", [None, 1, 2])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", "0.05"), (0, "0.1"), (2, "0.01"), (1, "1e-6")])
def test_the_price_is_kept_and_attained(max_cells: int | None, epsilon: Any, delta: Any) -> None:
    """What is told is a function of the counts by key, those of keys without rows being 0 and never told: so the law is
    that of a table over all keys there could be."""
    cell, k = EpsilonDelta.of(epsilon, delta), max_cells or 1
    unit = {} if max_cells is None else {"unit": "who", "max_cells": max_cells}
    receipt = release_table(
        frame(["a"], ["u"]),
        "k",
        FROM_DATA,
        epsilon,
        delta,
        adjacency="add-remove",
        max_count=TOP,
        source_name="t",
        **unit,
    )
    price = cell.of_cells(k)
    assert receipt.price == price
    assert (price.epsilon, price.delta) == (k * cell.epsilon, 1 - (1 - cell.delta) ** k)
    matrix = nearest(TOP, epsilon, delta, never_invented=True).matrix()
    for salt in SALTS:
        pairs = neighbours(max_cells, salt)
        assert max(sum(a != b for a, b in zip(p, q, strict=True)) for p, q in pairs) == k
        assert max(abs(a - b) for p, q in pairs for a, b in zip(p, q, strict=True)) == 1
        found = excess(matrix, pairs, price.epsilon)
        assert found == pytest.approx(float(price.delta), rel=1e-9)  # no smaller delta is enough
        assert found <= float(price.delta) + ROUNDING
        # A table without a limit on the groups of a unit would not keep it
        if max_cells is not None:
            unlimited = neighbours_of_unlimited(salt)
            assert excess(matrix, unlimited, price.epsilon) > float(price.delta) * 1.3


def neighbours_of_unlimited(salt: str) -> set[tuple[Any, Any]]:
    every = counted([(0, [A, B, MISSING])], 3, salt)
    return {(every, (0, 0, 0))}


@pytest.mark.parametrize("max_cells", [None, 1, 2])
def test_duckdb_counts_what_is_promised_about(max_cells: int | None) -> None:
    """On all those data sets, one of them with a unit that moves between groups, and groups of one unit alone."""
    unit = {} if max_cells is None else {"unit": Unit("who"), "max_cells": max_cells, "salt": SALTS[0]}
    schema = pa.schema([("k", pa.string()), ("who", pa.string()), ("ok", pa.bool_())])
    for data in data_sets(max_cells, 2):
        rows = [{"k": row.key[0], "who": f"u{at}", "ok": row.matches} for at, part in data for row in part]
        cells = FoundCells(group_list("k"), **unit)
        with OpenTable(pa.Table.from_pylist(rows, schema), "ok", cells=cells) as opened:
            tally = opened.tally_found()
        found = dict(zip(tally.keys[0].to_pylist(), tally.matching.tolist(), strict=True))
        assert tuple(found.get(key, 0) for key in KEYS) == counted(data, max_cells, SALTS[0])


def test_groups_are_shown_as_often_as_the_law_says() -> None:
    """2,000 groups of 12, of which .760 are shown; the error rate is below 1e-9 (6 standard deviations). The control
    hides as stability histograms do."""
    keys = [f"{at:04}" for at in range(2000) for _ in range(12)]
    shown = len(release(keys, epsilon=1, delta="1e-5", max_count=40).released)
    expected = 1 - nearest(40, 1, "1e-5", never_invented=True).pmf(12, 0)
    deviation = (2000 * expected * (1 - expected)) ** 0.5
    assert abs(shown - 2000 * expected) < 6 * deviation
    assert abs(2000 * 0.582 - 2000 * expected) > 6 * deviation


# --- what is told -----------------------------------------------------------------------------------------------------


def test_groups_and_their_counts() -> None:
    receipt = release(["b", "a", "b", None, "é", "Z", "b"])
    assert receipt.declared_keys is not None
    assert [column.spelled for column in receipt.keys or ()] == [("Z", "a", "b", "é", None)]
    assert receipt.released == (1, 1, 3, 1, 1)
    assert (receipt.schema_version, receipt.keys_from, receipt.cells, receipt.other) == (4, "data", 5, None)
    assert (receipt.undeclared, receipt.keys_sha256, receipt.expected_wrong_cells) == (None, None, None)
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    table = receipt.to_arrow()
    assert table.column_names == ["k", "is_other", "released"]
    assert table["k"].to_pylist() == ["Z", "a", "b", "é", None]
    assert "(missing)         1" in str(receipt)
    assert "5 groups shown" in receipt._repr_html_()


def test_the_order_is_that_of_code_points_whatever_that_of_the_rows() -> None:
    texts: list[str | None] = ["a", "B", "ä", "\U0001f642", "\uffee", "10", "9", ""]
    orders = [texts, texts[::-1], [*texts[3:], *texts[:3]]]
    found = {release(order).keys[0].spelled for order in orders}  # type: ignore[index]
    assert found == {tuple(sorted(texts, key=lambda text: text or ""))}
    receipt = release_table(
        pa.table({"x": ["b", "a", "b", None], "n": [2, 10, 9, 1]}), ["x", "n"], FROM_DATA, source_name="t", **TRUE
    )
    assert [column.spelled for column in receipt.keys or ()] == [("a", "b", "b", None), ("10", "2", "9", "1")]
    assert [column.kind for column in receipt.keys or ()] == ["text", "integer"]
    assert receipt.to_arrow()["n"].to_pylist() == [10, 2, 9, 1]


def test_no_group_at_all() -> None:
    for keys in ([], ["a"]):
        receipt = release(keys, epsilon=0, delta="1e-300")
        assert receipt.released == ()
        assert TableReceipt.from_json(receipt.to_json()) == receipt
        assert "0 groups shown" in str(receipt)
        assert receipt.to_arrow().num_rows == 0
        assert "0 groups shown" in report_page(receipt)


def test_a_count_above_the_maximum_is_the_maximum() -> None:
    assert release(["a"] * 9, max_count=4).released == (4,)
    assert release(["a"] * 9, max_count=1).released == (1,)


def test_hostile_keys_make_a_receipt_a_text_a_file_and_a_page(tmp_path: Path) -> None:
    from hushcount.release.table.output import table_file

    keys: list[str | None] = ["\x1b[31m", "\x00", "a\nb", '"', "<script>alert(1)</script>", "x" * 100_000, "\u202e", ""]
    receipt = release([*keys, None])
    assert receipt.keys is not None
    assert set(receipt.keys[0].spelled) == {*keys, None}
    assert TableReceipt.from_json(receipt.to_json()) == receipt
    text = str(receipt)
    assert "\x1b" not in text
    assert r"\x1b[31m" in text
    assert "<script>alert" not in report_page(receipt)
    (tmp_path / "t.parquet").write_bytes(table_file("t.parquet", receipt))
    assert pq.read_table(tmp_path / "t.parquet")["k"].to_pylist() == list(receipt.keys[0].spelled)
    assert b"x" * 100_000 in table_file("t.csv", receipt)


def test_keys_of_more_than_two_gigabytes_are_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """An Arrow array of texts has no more; whether what is hidden goes beyond must not show."""
    texts = [f"{at:03}" + "x" * 100_000 for at in range(200)]
    keys = pa.chunked_array([pa.array(texts, pa.large_string())] * 110)  # 2.2 GB, all in the memory of one
    tally = FoundTally(22_000, (keys,), (Kind.TEXT,), np.ones(22_000, dtype=np.int64), "TRUE")
    monkeypatch.setattr(OpenTable, "tally_found", lambda _: tally)
    assert release(["a"], epsilon=1, delta="1e-30").released == ()
    found = release(["a"], epsilon=1, delta="1e-3", max_count=1)
    assert found.keys is not None
    assert 0 < len(set(found.keys[0].spelled) & set(texts)) == len(set(found.keys[0].spelled))


def test_keys_of_an_engine_have_room_for_any_number_of_texts(tmp_path: Path) -> None:
    pq.write_table(frame(["a", None]), tmp_path / "t.parquet")
    for source in (frame(["a", None]), tmp_path / "t.parquet"):
        with OpenTable(source, "TRUE", cells=FoundCells(group_list("k"))) as opened:
            assert opened.tally_found().keys[0].type == pa.large_string()
    assert in_utf8([b"a\xff"]).type == pa.large_string()


def test_bands_years_and_units(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,born,who\n5,2019-01-02,u\n6,2019-02-02,u\n70,,v\n17,1999-01-01,w\n")
    options = ReadOptions(types={"age": "integer", "born": "date"})
    by = ["age: 0-17, 65+", "year(born)"]
    found = release_table(tmp_path / "t.csv", by, FROM_DATA, options=options, **TRUE)
    assert [column.spelled for column in found.keys or ()] == [("0-17", "0-17", "65+"), ("1999", "2019", None)]
    assert found.released == (1, 2, 1)
    assert found.by == ("age: 0-17, 65+", "year(born)")
    unit = {"unit": "who", "max_cells": 1}
    assert release_table(tmp_path / "t.csv", by, FROM_DATA, options=options, **unit, **TRUE).released == (1, 1, 1)
    assert release_table(tmp_path / "t.csv", "born", FROM_DATA, where="age < 10", options=options, **TRUE).cells == 2


def test_what_it_says_of_itself() -> None:
    receipt = release(["a"] * 30, epsilon=1, delta="1e-5", max_count=40)
    law = nearest(40, 1, "1e-5", never_invented=True)
    assert receipt.least_shown == law.least_shown == 11
    assert receipt.chance_hidden is not None
    assert receipt.chance_right is not None
    assert receipt.chance_hidden[10] == law.pmf(10, 0)
    assert receipt.chance_right[20] == law.pmf(20, 20)
    assert list(receipt.chance_hidden) == [1, 2, 5, 10, 20]
    text = str(receipt)
    assert "No count from 1 to 10 is ever told" in text
    shown = (
        "A group is shown in at least 5% of releases from 10 on, 50% from 12, 95% from 14, 99.9% from 18, always from"
    )
    said = (text, report_page(receipt), str(TableReceipt.from_json(receipt.to_json())))
    assert all(shown in " ".join(each.split()) for each in said)
    right = 100 * law.pmf(20, 20)
    (line,) = [line for line in text.splitlines() if line.split()[:1] == ["20"]]
    (told,) = re.findall(r"in at least ([0-9.]+)% of releases$", line)
    assert right - 0.1 < float(told) <= right
    assert re.findall("\nRange .*", str(interpret_table(receipt))) == re.findall("\nRange .*", text)
    assert "The groups come from the data." in text
    assert "never-invented" in text


@pytest.mark.parametrize(
    ("n", "epsilon", "delta", "said"),
    [
        (60, 3, "0.01", "in at least 5% of releases from 2 on, 95% from 3, always from 5"),
        (12, 1, "1e-5", "in at least 5% of releases from 10 on, 50% from 12"),
        (9, 1, "1e-5", "in less than 5% of releases, whatever its count is"),
        (5, 0, "0.999", "in at least 99.9% of releases from 1 on, always from 2"),
        (5, 50, "0.9999", "in at least 99.9% of releases from 1 on, always from 2"),
    ],
)
def test_from_which_size_on_it_is_shown(n: int, epsilon: Any, delta: Any, said: str) -> None:
    law = nearest(n, epsilon, delta, never_invented=True)
    told, *_ = Hiding.of(law).to_sentences()
    assert told == f"A group is shown {said}"
    assert f"released as a count above 0, {said}." in " ".join(" ".join(hidden_lines(law)).split())
    for chance, first in Hiding.of(law).shown_from.items():
        shown = [law.chance_shown(size) >= chance - 1e-15 for size in range(n + 1)]
        assert shown == [first is not None and size >= first for size in range(n + 1)]


@pytest.mark.parametrize(
    "change",
    [
        {"released": [3]},
        {"keys_from": None},
        {"least_shown": None},
        {"chance_hidden": None},
        {"chance_right": {"1": 0.0}},
        {"undeclared": "other"},
        {"mechanism": "nearest"},
        {"keys": None, "schema_version": 2},
        {"schema_version": 3},
        {"adjacency": "replace-one"},
        {"changed_cells": 2},
        {"cells": 2},
        {"expected_wrong_cells": 0.5},
    ],
)
def test_receipts_that_do_not_hang_together(change: dict[str, Any]) -> None:
    whole = json.loads(release(["a"] * 30, epsilon=1, delta="1e-5", max_count=40).to_json())
    TableReceipt.from_json(json.dumps(whole))
    changed = {name: value for name, value in {**whole, **change}.items() if value is not None or name not in change}
    with pytest.raises(BadData):
        TableReceipt.from_json(json.dumps(changed))


def test_sets_cover_given_that_a_group_is_shown() -> None:
    """And sums are about shown groups only; nothing is said of all of them together."""
    receipt = release(["a"] * 30, epsilon=1, delta="1e-5", max_count=40)
    receipt = receipt.model_copy(update={"released": (12,)})
    found = interpret_table(receipt, level="0.95")
    assert found.cells is not None
    assert found.cells[0].confidence_set == ((1, 15),)
    assert found.cells.if_shown
    assert found.cells[0].most_likely is None
    assert found.cells.to_dict()["most_likely"] is None
    assert found.to_arrow().column_names == ["k", "is_other", "released", "maximum", "lower", "upper", "confidence_set"]
    assert (found.total, found.histogram, found.released_error) == (NoInverse.HIDDEN, None, None)
    text = " ".join(str(found).split())
    assert "12: of the groups shown, whatever is hidden" in text
    assert "95%, given that the group is shown. That is about the noise alone." in text
    assert "No true count is called the likeliest" in text
    assert "most likely" not in text
    suppressed = interpret_table(receipt, level="0.95", publication=Publication(suppress_below=13))
    assert suppressed.to_dict()["cells"]["confidence_sets"] == [None]
    assert suppressed.to_dict()["cells"]["most_likely"] is None
    assert "a - - suppressed" in " ".join(str(suppressed).split())
    assert found.to_dict()["released_sum_bias"] is None
    assert sets_of(receipt, "0.95")[0].confidence_set == ((1, 15),)
    with pytest.raises(BadUse, match="how many groups are hidden is not known"):
        interpret_table(receipt, level="0.95", simultaneous=True)
    asked = at_least(receipt, 20)
    assert asked.answers == (False,)
    assert "that it is shown, and with yes" in " ".join(str(asked).split())
    with pytest.raises(BadUse, match="how many are hidden is not known"):
        at_least(receipt, 20, simultaneous=True)


@pytest.mark.parametrize("keys", ["from-data", "fromdata", "From_Data"])
def test_a_text_in_place_of_keys_is_told_what_stands_for_groups_from_the_data(keys: str) -> None:
    with pytest.raises(InvalidParameter, match=r"^keys must be hushcount\.release\.FROM_DATA, if"):
        release_table(frame(["a"]), "k", keys, **{**TRUE, "source_name": "t"})


def test_none_is_shown() -> None:
    receipt = release(["a"], epsilon=0, delta="1e-300", max_count=1000)
    found = interpret_table(receipt, level="0.95")
    assert (found.releases, found.released_sum, found.to_arrow().num_rows) == (0, 0, 0)
    assert str(found).startswith("Cells       0\n")
    assert at_least(receipt, 5).answers == ()
    assert str(at_least(receipt, 5)).startswith("Cells: 0, ")


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"adjacency": "replace-one"}, "adjacency"),
        ({"max_count": None}, "max_count"),
        ({"max_count": 0}, "max_count"),
        ({"totals": [1]}, "totals"),
        ({"keys_delimiter": ";"}, "keys_delimiter"),
        ({"undeclared": "other"}, "undeclared"),
        ({"undeclared": "left-out"}, "undeclared"),
        ({"mechanism": "canonical"}, "mechanism"),
        ({"mechanism": "within:1"}, "mechanism"),
        ({"mechanism": nearest(5, 1, "0.1")}, "mechanism"),
        ({"delta": 0}, "delta"),
        ({"epsilon": None, "delta": 0, "mu": 1}, "keys"),
        ({"epsilon": GaussianDP.of(1), "delta": 0}, "keys"),
        ({"epsilon": SeveralPairs.of([(1, "0.1"), (2, 0)]), "delta": 0}, "keys"),
        ({"epsilon": None, "within": 3, "chance": "0.9", "delta": "0.1"}, "within"),
        ({"max_cells": 2}, "max_cells"),
        ({"unit": "k"}, "max_cells"),
    ],
)
def test_what_groups_from_data_do_not_go_with(given: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidParameter) as raised:
        release(["a"], **given)
    assert raised.value.argument == argument


def test_several_pairs_with_delta() -> None:
    receipt = release(["a"] * 30, epsilon=SeveralPairs.of([(1, "0.01"), (2, "1e-6")]), delta=0, max_count=50)
    assert receipt.price == SeveralPairs.of([(1, "0.01"), (2, "1e-6")])
    assert TableReceipt.from_json(receipt.to_json()) == receipt


def test_the_text_from_data_is_a_key_in_python() -> None:
    receipt = release_table(frame(["from-data"]), "k", ["from-data"], 1000, source_name="t")
    assert receipt.released == (1, 0)


# --- what it costs, and that it is drawn once -------------------------------------------------------------------------


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("k,who\n" + "a,u\nb,v\na,w\n")
    create_budget(tmp_path / "l.ledger", "b", epsilon=5000, delta="0.99999999999999", adjacency="add-remove")
    return tmp_path / "people.csv"


CHEAP = {"epsilon": 1000, "delta": "0.1", "max_count": 9}


def test_a_session_charges_once_and_stores_what_is_shown(people: Path, tmp_path: Path) -> None:
    with Session(people, tmp_path / "l.ledger", "b") as session:
        first = session.table("k", FROM_DATA, **CHEAP)
        assert session.basis is Basis.CHARGED
        again = session.table("k", FROM_DATA, **CHEAP)
        assert session.basis is Basis.STORED
        assert again == first
        assert again.keys is not None
        other = session.table("k", ["a", "b"], **CHEAP)
        assert session.basis is Basis.CHARGED
        assert other.keys_from is None
    charges = Ledger(tmp_path / "l.ledger").history("b")
    question = charges[0].question
    assert (question.cells, question.about["keys"], question.about["max_cells"]) == (0, "from-data", 1)
    assert "keys_sha256" not in question.about
    assert "groups from the data by k, epsilon 1000 x 1" in str(charges[0])
    assert charges[0].to_dict()["receipt"] == json.loads(first.to_json())
    assert charges[0].released is None
    assert Ledger(tmp_path / "l.ledger").verify().faults == ()


def test_the_question_does_not_depend_on_the_data(people: Path, tmp_path: Path) -> None:
    def asked() -> str:
        with Session(people, tmp_path / "l.ledger", "b") as session:
            session.table("k", FROM_DATA, **CHEAP, fresh=True)
        return Ledger(tmp_path / "l.ledger").history("b")[-1].question.to_json()

    before = asked()
    people.write_text("k,who\n" + "".join(f"{at},u\n" for at in range(50)))
    assert asked() == before


def test_a_lost_answer_is_never_drawn_again_for_the_same_charge(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long an answer is says something of it: drawn anew until one fits on a disk, it would be chosen."""
    ledger = Ledger(tmp_path / "l.ledger")

    def full(*_: Any) -> Any:
        raise LedgerUnusable("l.ledger", "has no room")

    with Session(people, tmp_path / "l.ledger", "b") as session:
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "deliver", full)
            with pytest.raises(LedgerUnusable, match="drawn once for a charge, so the same question"):
                session.table("k", FROM_DATA, **CHEAP, request_id="r")
        with pytest.raises(InvalidParameter, match="drawn once for a charge") as raised:
            session.table("k", FROM_DATA, **CHEAP, request_id="r")
        assert raised.value.argument == "request_id"
        session.table("k", FROM_DATA, **CHEAP)
        assert session.basis is Basis.CHARGED
        # Of declared cells every answer is as long, so that it may be drawn again
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "deliver", full)
            with pytest.raises(LedgerUnusable, match="is not charged again"):
                session.table("k", ["a"], **CHEAP)
        session.table("k", ["a"], **CHEAP)
        assert session.basis is Basis.PAID_BEFORE
    assert [charge.state for charge in ledger.history("b")] == ["charged, not delivered", "delivered", "delivered"]
    assert ledger.budget("b").left.epsilon == 2000


def test_nothing_is_charged_beyond_the_budget(people: Path, tmp_path: Path) -> None:
    with Session(people, tmp_path / "l.ledger", "b") as session:
        unit = {"unit": "who", "max_cells": 6}
        with pytest.raises(BudgetExceeded):
            session.table("k", FROM_DATA, **CHEAP, **unit)


def test_a_listed_source(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("k,who\n1,u\n2,v\n1,w\n")
    create_budget(tmp_path / "l.ledger", "b", epsilon=5000, delta="0.9", adjacency="add-remove")
    add_source(tmp_path / "l.ledger", "b", tmp_path / "t.csv", unit="who")
    with Session(None, tmp_path / "l.ledger", "b") as session:
        receipt = session.table("k", FROM_DATA, **CHEAP, max_cells=1)
        assert receipt.keys is not None
        assert receipt.keys[0].kind == "integer"
        (tmp_path / "t.csv").write_text("k,who\n1,u\nx,v\n1,w\n")
        with pytest.raises(BadData, match="cannot be read as its columns are listed"):
            session.table("k", FROM_DATA, **CHEAP, max_cells=1, fresh=True)


PLAN = """
ledger = "l.ledger"
budget = "b"
report = "page.html"
[defaults]
epsilon = 1000
delta = 0.1
[sources.people]
source = "people.csv"
{}
"""
FOUND = '[[release]]\nname = "{}"\nby = "k"\nkeys = "from-data"\nmax = {}\n'


def test_a_plan(people: Path, tmp_path: Path) -> None:
    declared = '[[release]]\nname = "declared"\nby = "k"\nkeys = ["a", "from-data"]\nmax = 9\n'
    text = PLAN.format(FOUND.format("one", 9) + FOUND.format("same", 9) + declared)
    (tmp_path / "plan.toml").write_text(text)
    plan = read_plan(tmp_path / "plan.toml")
    assert "groups from the data" in str(plan.check())
    found = plan.run()
    assert found.receipts["one"] == found.receipts["same"]
    assert [charge.question.cells for charge in Ledger(tmp_path / "l.ledger").history("b")] == [0, 3]
    assert (tmp_path / "one.csv").exists()
    assert [release.basis for release in plan.run()] == [Basis.STORED] * 3


def test_a_plan_that_was_broken_off_charges_what_may_have_been_drawn(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.format(FOUND.format("one", 9)))

    def full(*_: Any) -> Any:
        raise LedgerUnusable("l.ledger", "has no room")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "deliver", full)
        with pytest.raises(LedgerUnusable, match="groups from the data, which are drawn once for a charge"):
            read_plan(tmp_path / "plan.toml").run()
    assert [release.basis for release in read_plan(tmp_path / "plan.toml").run()] == [Basis.CHARGED]
    assert len(Ledger(tmp_path / "l.ledger").history("b")) == 2


def test_progress_is_not_told() -> None:
    told: list[float] = []
    release([f"{at}" for at in range(20_000)], progress=told.append)
    assert told == []

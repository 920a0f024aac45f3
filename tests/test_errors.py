"""What an error says of an argument: a number or a short text that was typed, and of anything else its type only."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hushcount as h
from hushcount import errors
from hushcount.counting import OpenTable, count_matching
from hushcount.errors import HushcountError, InvalidParameter, Told, type_of

SECRET = "Ann Onymous"
RECORDS = [{"name": SECRET, "age": 41}]


class Shown:
    """An object that spells its content, as data frames do."""

    def __repr__(self) -> str:
        return SECRET


def data() -> Iterator[Any]:
    """Records in many shapes."""
    yield from (RECORDS, RECORDS[0], [(SECRET, 41)], (SECRET, 41), {SECRET}, [[RECORDS]], Shown(), ValueError(SECRET))
    yield from (SECRET.encode(), bytearray(SECRET.encode()), f"name,age\n{SECRET},41\n", np.array([[SECRET, 41]]))
    yield from (np.array([SECRET]), np.array([(SECRET, 41)], dtype=object), pa.table({"name": [SECRET]}))
    yield from (pa.array([SECRET]), pa.scalar(SECRET), iter(RECORDS), (record for record in RECORDS))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3, "3"),
        (-1.5, "-1.5"),
        (np.int64(3), "3"),
        (np.float64(0.1), "0.1"),
        (Fraction(1, 3), "1/3"),
        (Decimal("1.50"), "1.50"),
        (True, "True"),
        ("nearst", "'nearst'"),
        ("x" * 61, f"'{'x' * 59}..."),
        (Told((2, 3)), "(2, 3)"),
        ([1, 2], "a list"),
        ((1, 2), "a tuple"),
        ({"a": 1}, "a dict"),
        (b"a", "bytes"),
        (np.zeros(2), "an ndarray"),
        ("a\nb", "a text of several lines"),
        ("a\u2028b", "a text of several lines"),
        (Shown(), "a Shown"),
        (Shown, "a type"),
    ],
)
def test_what_is_said_of_a_value(value: object, shown: str) -> None:
    assert str(InvalidParameter("x", value, "right")) == f"x must be right (got {shown})"


def test_a_number_too_long_to_be_spelled() -> None:
    assert str(InvalidParameter("x", 10**5000, "right")) == "x must be right (got an int)"


def test_what_is_not_repeated_is_not_kept() -> None:
    assert InvalidParameter("x", RECORDS, "right").value is None
    assert InvalidParameter("x", 3, "right").value == 3
    assert str(InvalidParameter("x", None, "right")) == "x must be right"
    assert type_of(RECORDS) == "a list"


MATRIX = np.array([[0.6, 0.4], [0.4, 0.6]])


def calls(source: Path, ledger: Path) -> dict[str, Callable[[Any], Any]]:
    """Every argument that records could be given for by mistake."""
    receipt, near = h.release_count(source, "age > 1", 1), h.nearest(3, 1)
    count: dict[str, Any] = {"source": source, "where": "age > 1", "epsilon": 1}
    table: dict[str, Any] = {"source": source, "by": "name", "keys": ["x"], "epsilon": 1}

    def release_count(name: str) -> Callable[[Any], Any]:
        return lambda value: h.release_count(**{**count, name: value})

    def release_table(name: str) -> Callable[[Any], Any]:
        return lambda value: h.release_table(**{**table, name: value})

    counted = ("source", "where", "epsilon", "delta", "max_count", "mechanism", "options", "unit", "request_id")
    tabled = ("source", "keys", "where", "totals", "options", "unit", "max_cells", "mechanism")
    return {
        **{f"release_count {name}": release_count(name) for name in counted},
        **{f"release_table {name}": release_table(name) for name in tabled},
        "ledger": lambda value: h.release_count(**count, ledger=str(ledger), budget=value),
        "Session": lambda value: h.Session(value, str(ledger), "b"),
        "budget": lambda value: h.create_budget(ledger, value, 1),
        "OpenTable source": lambda value: OpenTable(value, "age > 1"),
        "OpenTable where": lambda value: OpenTable(source, value),
        "OpenTable options": lambda value: OpenTable(source, "age > 1", value),
        "OpenTable schema": lambda value: OpenTable(source, "age > 1", schema=value),
        "count_matching": lambda value: count_matching(value, "age > 1"),
        "types": lambda value: h.ReadOptions(types={"age": value}),
        "null": lambda value: h.ReadOptions(null=value),
        "draw": near.draw,
        "simulate": lambda value: h.simulate(near, value, rng=np.random.default_rng(1)),
        "rng": lambda value: h.simulate(near, 1, rng=value),
        "audit": h.audit,
        "audit_samples": h.audit_samples,
        "from_matrix": h.from_matrix,
        "counts": h.medium.from_counts,
        "interpret": h.interpret,
        "prior": lambda value: h.interpret(receipt, prior=value),
        "interpret_table": h.interpret_table,
        "round_trip": lambda value: h.round_trip(value, 3, 3),
        "path": h.read_mechanism,
        "samples": h.read_samples,
    }


@pytest.mark.slow
def test_no_record_is_repeated_whatever_argument_it_is_given_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source, ledger = tmp_path / "people.csv", tmp_path / "people.ledger"
    source.write_text("name,age\nx,41\ny,3\n")
    h.create_budget(ledger, "b", 100)
    for name, call in calls(source, ledger).items():
        errors: list[HushcountError] = []
        for value in data():
            try:
                call(value)
            except HushcountError as error:
                errors.append(error)
        assert len(errors) >= 10, name
        for error in errors:
            assert SECRET not in str(error), name
            assert SECRET not in repr(getattr(error, "value", None)), name


def test_a_text_of_several_lines_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"^source must be the path of a file.*\(got a text of several lines\)$"):
        count_matching(f"name\n{SECRET}\n", "TRUE")
    odd = tmp_path / "a\nb.csv"
    odd.write_text("name\nx\n")
    assert count_matching(str(odd), "name = 'x'").matching == 1


def every_kind() -> Iterator[HushcountError]:
    """An error of each kind, those that are made of more than a message by hand."""
    made: dict[type[HushcountError], tuple[Any, ...]] = {
        InvalidParameter: ("n", 3, "larger"),
        errors.NoSuchColumn: ("aeg", None, "a;b"),
        errors.LedgerUnusable: ("people.ledger", "is damaged"),
        errors.BudgetExceeded: ("not covered", h.EpsilonDelta.of("0.1"), h.EpsilonDelta.of(0), "people"),
        errors.BudgetClosed: ("closed", h.EpsilonDelta.of("0.1"), h.EpsilonDelta.of(0), "people"),
    }
    kinds: list[type[HushcountError]] = [HushcountError]
    for kind in kinds:
        kinds += kind.__subclasses__()
        yield kind(*made.get(kind, ("a message",)))


@pytest.mark.parametrize("error", list(every_kind()), ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("sent", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_is_the_same_in_another_process(error: HushcountError, sent: Callable[[Any], Any]) -> None:
    """With what became of it on its way: what was charged, a message that says so, a note."""
    error.charged = "the charge"
    error.args = (f"{error}; epsilon 0.1 stays charged",)
    error.add_note("a note")
    found = sent(error)
    assert (type(found), str(found), found.args, vars(found)) == (type(error), str(error), error.args, vars(error))
    assert found.charged == "the charge"


def test_the_module_lists_its_errors_and_nothing_else() -> None:
    assert dir(errors) == sorted(errors.__all__)

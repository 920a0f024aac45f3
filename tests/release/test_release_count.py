"""The one way that data takes: judged before it is read, counted, drawn, and revealed by nothing but the release."""

from __future__ import annotations

import inspect
import logging
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

import hushcount
import hushcount.release.subject
from hushcount import save_mechanism
from hushcount.counting import ReadOptions
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.mechanisms import canonical, from_matrix, nearest, truncated_geometric
from hushcount.release import Receipt, release_count

TRUE, ROWS = 1231, 7919


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "70\n" * TRUE + "30\n" * (ROWS - TRUE))
    return path


def test_receipt(table):
    before = datetime.now(UTC)
    receipt = release_count(table, "age >= 65", "0.5", "1e-6")
    law = nearest(ROWS, "0.5", "1e-6")
    assert isinstance(receipt, Receipt)
    assert 0 <= receipt.released <= receipt.maximum == ROWS
    assert (receipt.epsilon, receipt.delta, receipt.adjacency, receipt.mechanism) == (
        "0.5",
        "0.000001",
        "replace-one",
        "nearest",
    )
    assert (receipt.where, receipt.source, receipt.table) == ("age >= 65", "people.csv", None)
    assert "age" in receipt.predicate
    assert receipt.error_probability == law.error_probability
    assert receipt.chance_off_by_more_than == {t: law.probability_beyond(t) for t in (1, 2, 5)}
    assert receipt.hushcount_version == hushcount.__version__
    assert timedelta(seconds=-1) < receipt.released_at - before < timedelta(minutes=1)
    assert Receipt.from_json(receipt.to_json()) == receipt


def test_two_releases_are_two_receipts(table):
    assert release_count(table, "age >= 65", 1).receipt_id != release_count(table, "age >= 65", 1).receipt_id


@pytest.mark.parametrize("mechanism", ["nearest", "canonical"])
def test_a_huge_epsilon_releases_the_true_count(table, mechanism):
    receipt = release_count(str(table), "age >= 65", 1000, mechanism=mechanism)
    assert (receipt.released, receipt.mechanism) == (TRUE, mechanism)


def test_epsilon_0_does_not(table):
    # The chance that five uniform counts of 0..7919 all are the true one is 3e-20.
    assert {release_count(table, "age >= 65", 0).released for _ in range(5)} != {TRUE}


@pytest.mark.parametrize("epsilon", [0.5, Fraction(1, 2), Decimal("0.5"), "0.5", "1/2"])
def test_epsilon_is_exact_in_every_spelling(table, epsilon):
    assert release_count(table, "age >= 65", epsilon).epsilon == "0.5"


def test_add_remove_tells_nothing_of_the_number_of_rows(table):
    receipt = release_count(table, "age >= 65", 1000, adjacency="add-remove", max_count=50)
    law = nearest(50, 1000)
    assert (receipt.released, receipt.maximum) == (50, 50)
    assert receipt.error_probability == law.error_probability
    assert str(ROWS) not in receipt.to_json() + repr(receipt)
    assert str(TRUE) not in receipt.to_json() + repr(receipt)


def test_the_true_count_below_the_cap(table):
    receipt = release_count(table, "age >= 65", 1000, adjacency="add-remove", max_count=10**12)
    assert (receipt.released, receipt.maximum) == (TRUE, 10**12)


@pytest.mark.parametrize("law", [nearest, canonical])
def test_the_law_that_draws_is_the_law_that_is_told(table, law, monkeypatch):
    drawn = []
    monkeypatch.setattr(type(law(1, 1)), "draw", lambda self, true: drawn.append((self, true)) or 7)
    receipt = release_count(table, "age >= 65", "0.5", "1e-6", mechanism=law.__name__)
    [(used, true)] = drawn
    assert (receipt.released, true) == (7, TRUE)
    assert (used.n, used.epsilon, used.delta) == (ROWS, Fraction(1, 2), Fraction(1, 10**6))


# --- a mechanism that was brought along -------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("age\n70\n30\n")
    return path


@pytest.fixture
def saved(tmp_path):
    """Private from epsilon = ln 2 on; a true 1 is released as 1."""
    matrix = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
    return save_mechanism(matrix, tmp_path / "m.json", epsilon=1, name="three answers")


def test_a_saved_mechanism_draws(small, saved):
    receipt = release_count(small, "age >= 65", "0.7", "1e-6", mechanism=saved)
    assert (receipt.mechanism, receipt.epsilon, receipt.delta, receipt.maximum) == ("audited", "0.7", "0.000001", 2)
    assert receipt.audit.model_dump() == {
        "name": "three answers",
        "matrix_sha256": saved.sha256,
        "least_delta": 0.0,
    }
    assert (receipt.error_probability, receipt.chance_off_by_more_than) == (0.5, {1: 0.25, 2: 0.0, 5: 0.0})
    assert Receipt.from_json(receipt.to_json()) == receipt


def test_it_draws_by_its_own_law(small, tmp_path):
    """Rows of zeros and ones are private only at delta >= 1; rows that are alike always, and tell nothing."""
    always_two = from_matrix([[0, 0, 1]] * 3)
    assert {release_count(small, "age >= 65", 0, mechanism=always_two).released for _ in range(5)} == {2}


def test_the_true_count_is_what_it_is_asked_about(small, saved, monkeypatch):
    drawn = []
    monkeypatch.setattr(type(saved), "draw", lambda self, true: drawn.append((self, true)) or 2)
    assert release_count(small, "age >= 65", 1, mechanism=saved).released == 2
    assert release_count(small, "age > 0", 1, mechanism=saved, adjacency="add-remove", max_count=2).released == 2
    assert drawn == [(saved, 1), (saved, 2)]


def test_a_closed_form_is_audited_too(table):
    receipt = release_count(table, "age >= 65", 1, mechanism=truncated_geometric(ROWS, 1))
    assert (receipt.mechanism, receipt.audit.name, receipt.audit.matrix_sha256) == (
        "audited",
        "truncated-geometric",
        None,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {},
            r"^mechanism must be private at epsilon 0\.6, delta 0; an audit found that it takes epsilon 0\.693148 at ",
        ),
        (
            {"epsilon": "0.7", "adjacency": "add-remove", "max_count": 3},
            "range of the release, 0 to 3: its own is 0 to 2",
        ),
        ({"epsilon": "0.7", "max_count": 2}, "^max_count must be left out under replace-one"),
    ],
)
def test_it_is_refused_before_the_data_is_read(monkeypatch, small, saved, options, message):
    monkeypatch.setattr(hushcount.release.subject, "OpenTable", lambda *_, **__: pytest.fail("the data was read"))
    with pytest.raises(InvalidParameter, match=message):
        release_count(small, "age > 1", **{"epsilon": "0.6", "mechanism": saved, **options})


def test_another_number_of_rows_is_refused_before_a_draw(monkeypatch, table, saved):
    monkeypatch.setattr(type(saved), "draw", lambda *_: pytest.fail("a count was drawn"))
    with pytest.raises(InvalidParameter, match=f"range of the release, 0 to {ROWS}: its own is 0 to 2") as caught:
        release_count(table, "age >= 65", 1, mechanism=saved)
    assert str(TRUE) not in str(caught.value)


# --- no seed, no leak ------------------------------------------------------------------------------------------------


def test_there_is_no_door_for_a_seed(table):
    assert list(inspect.signature(release_count).parameters) == [
        "source",
        "where",
        "epsilon",
        "delta",
        "mu",
        "rho",
        "within",
        "chance",
        "currency",
        "adjacency",
        "max_count",
        "mechanism",
        "source_name",
        "options",
        "unit",
        "without_unit",
        "rows_per_unit",
        "ledger",
        "budget",
        "request_id",
        "fresh",
    ]
    for name in ("seed", "rng", "random_state", "generator"):
        with pytest.raises(TypeError, match="unexpected keyword"):
            release_count(table, "age >= 65", 1, **{name: 1})


@pytest.mark.slow
def test_seeding_global_generators_changes_nothing(table):
    import random

    import numpy

    released = set()
    for _ in range(20):
        random.seed(1)
        numpy.random.seed(1)
        released.add(release_count(table, "age >= 65", "0.01").released)
    # About 100 counts are likely each time: twenty equal ones have a chance below 1e-30.
    assert len(released) > 1


def test_the_true_count_is_not_logged(table, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    release_count(table, "age >= 65", 0)
    said = caplog.text + "".join(capfd.readouterr())
    assert not re.search(rf"\b{TRUE}\b", said)


def test_a_failing_draw_does_not_tell_the_true_count(table, monkeypatch):
    def fail(self, true):
        raise InvalidParameter("true", None, "an integer count")

    monkeypatch.setattr(type(nearest(1, 1)), "draw", fail)
    with pytest.raises(InvalidParameter) as caught:
        release_count(table, "age >= 65", 1)
    assert str(TRUE) not in f"{caught.value!r} {caught.value}"


# --- bad use is found before the data is read ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "argument"),
    [
        (("age > 1", float("nan")), {}, "epsilon"),
        (("age > 1", -1.0), {}, "epsilon"),
        (("age > 1", "1_0"), {}, "epsilon"),
        (("age > 1", 1, 1), {}, "delta"),
        (("age > 1", 1, "-1e-9"), {}, "delta"),
        (("age > 1", 1), {"adjacency": "other"}, "adjacency"),
        (("age > 1", 1), {"mechanism": "other"}, "mechanism"),
        (("age > 1", 1), {"adjacency": "add-remove"}, "max_count"),
        (("age > 1", 1), {"adjacency": "add-remove", "max_count": -1}, "max_count"),
        (("age > 1", 1), {"adjacency": "add-remove", "max_count": True}, "max_count"),
        (("age > 1", 1), {"adjacency": "add-remove", "max_count": 1.5}, "max_count"),
        (("age > 1", 1), {"max_count": 5}, "max_count"),
        (("age > 1", 1), {"mechanism": ["nearest"]}, "mechanism"),
        (("age > 1", 1), {"options": ","}, "options"),
        (("age > 1", 1), {"options": {"delimiters": ","}}, "options"),
        (("age > 1", 1), {"options": {"delimiter": ",,"}}, "delimiter"),
        (("name = '\udc80'", 1), {}, "where"),
        ((None, 1), {}, "where"),
        (("age > 1", 1), {"options": ReadOptions(table="\udc80")}, "table"),
        (("age > 1", 1), {"options": ReadOptions(types={"\udc80": "text"})}, "types"),
    ],
)
def test_bad_use(monkeypatch, table, arguments, options, argument):
    monkeypatch.setattr(hushcount.release.subject, "OpenTable", lambda *_, **__: pytest.fail("the data was read"))
    with pytest.raises(InvalidParameter) as caught:
        release_count(table, *arguments, **options)
    assert caught.value.argument == argument


@pytest.mark.parametrize("source", [5, b"people.csv", ["people.csv"]])
def test_a_source_that_is_no_path(source):
    with pytest.raises(InvalidParameter, match=r"^source must be the path of a file, an address, or a frame"):
        release_count(source, "age > 1", 1)


def test_no_source_where_no_budget_lists_one():
    with pytest.raises(InvalidParameter, match=r"^source must be given: a file, or an address$"):
        release_count(None, "age > 1", 1)


def test_a_refused_condition(tmp_path):
    with pytest.raises(BadUse):
        release_count(tmp_path / "absent.csv", "count(*) > 1", 1)


def test_a_missing_file(tmp_path):
    with pytest.raises(BadData):
        release_count(tmp_path / "absent.csv", "age > 1", 1)


def test_a_table_without_rows(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_text("age\n")
    receipt = release_count(path, "age > 1", 1)
    assert (receipt.released, receipt.maximum, receipt.error_probability) == (0, 0, 0.0)
    assert release_count(path, "age > 1", 1000, adjacency="add-remove", max_count=9).maximum == 9

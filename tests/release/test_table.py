"""`release_table`: one promise for all declared cells, its receipt, its price, and what goes wrong."""

from __future__ import annotations

import json
from fractions import Fraction

import jsonschema
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from pydantic import ValidationError

import hushcount.release.subject
from hushcount import (
    BudgetExceeded,
    Ledger,
    ReadOptions,
    Session,
    TableReceipt,
    create_budget,
    from_matrix,
    nearest,
    release_count,
    release_table,
)
from hushcount.counting import OpenTable
from hushcount.errors import BadData, BadUse, InvalidParameter, NoSuchColumn, PredicateRefused, TooLarge
from hushcount.ledger import Basis, Verdict
from hushcount.promise.adjacency import Adjacency
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.release.count.question import CountQuestion
from hushcount.release.subject import Subject
from hushcount.release.table.draws import CHUNK, FEW, draw_cells
from hushcount.release.table.receipt import schema_text

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema_text()))
SURE = 1000
"""An epsilon at which every count is released as it is, up to a chance of e^-1000."""

PEOPLE = """person,region,age
ann,north,70
ann,south,71
bob,north,20
cid,east,80
dan,south,66
eve,,67
eve,west,90
"""
REGIONS = ["north", "south", "east", "void"]


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def release(people):
    def release(epsilon=SURE, delta=0, *, by="region", keys=REGIONS, **options):
        return release_table(people, by, keys, epsilon, delta, **options)

    return release


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (2, 2, 1, 0, 2)),
        ({"undeclared": "left-out"}, (2, 2, 1, 0)),
        ({"where": "age >= 65"}, (1, 2, 1, 0, 2)),
        ({"keys": ["void"]}, (0, 7)),
        ({"keys": ["north"], "max_count": 1}, (1, 1)),
        ({"adjacency": "add-remove", "max_count": 1}, (1, 1, 1, 0, 1)),
        ({"adjacency": "add-remove", "max_count": 100}, (2, 2, 1, 0, 2)),
        ({"totals": [1, 2, 3, 4]}, (1, 2, 1, 0, 2)),
        ({"totals": [1, 2, 3, 4], "max_count": 1}, (1, 2, 1, 0, 1)),
        ({"totals": [2, 2, 0, 9], "adjacency": "add-remove", "undeclared": "left-out"}, (2, 2, 0, 0)),
        ({"unit": "person", "max_cells": 1}, (2, 1, 1, 0, 1)),
        ({"unit": "person", "max_cells": 2}, (2, 2, 1, 0, 1)),
        ({"unit": "person", "max_cells": 1, "keys": ["south", "north"]}, (2, 1, 2)),
        ({"by": ["region", "age"], "keys": [("north", 70), ("south", 1)]}, (1, 0, 6)),
    ],
)
def test_cells(release, options, expected):
    receipt = release(**options)
    assert receipt.released == expected
    assert receipt.other == (expected[-1] if options.get("undeclared") != "left-out" else None)
    assert receipt.cells == len(expected) - (receipt.other is not None)
    SCHEMA.validate(json.loads(receipt.to_json()))
    assert TableReceipt.from_json(receipt.to_json()) == receipt


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({}, 2),
        ({"adjacency": "add-remove", "max_count": 5}, 1),
        ({"unit": "person", "max_cells": 2}, 4),
        ({"unit": "person", "max_cells": 2, "adjacency": "add-remove", "max_count": 5}, 2),
        ({"unit": "person", "max_cells": 9}, 5),
        ({"keys": ["north"], "undeclared": "left-out"}, 1),
    ],
)
def test_the_promise(release, options, changed):
    receipt = release("0.1", "1e-3", **options)
    assert receipt.changed_cells == changed
    assert (receipt.epsilon, receipt.delta) == ("0.1", "0.001")
    assert Fraction(receipt.table_epsilon) == changed * Fraction("0.1")
    assert Fraction(receipt.table_delta) == 1 - (1 - Fraction("0.001")) ** changed


def test_what_a_receipt_says(release, people):
    receipt = release("0.5", where="age >= 65", unit="person", max_cells=2)
    law = nearest(5, "0.5")
    assert (receipt.maximum, receipt.maxima) == (5, None)  # of units
    assert receipt.error_probability == law.error_probability
    assert receipt.chance_off_by_more_than == {t: law.probability_beyond(t) for t in (1, 2, 5)}
    assert receipt.expected_wrong_cells == pytest.approx(5 * law.error_probability, rel=1e-10)
    assert receipt.expected_wrong_cells >= 5 * law.error_probability
    assert (receipt.unit.column, receipt.unit.without, receipt.max_cells) == ("person", "error", 2)
    assert (receipt.by, receipt.undeclared, receipt.predicate) == (("region",), "other", "age >= 65")
    assert receipt.adjacency_meaning == Adjacency.REPLACE_ONE.meaning_for_units
    assert people.name == receipt.source
    assert [(each.column, each.kind, each.spelled) for each in receipt.keys] == [("region", "text", tuple(REGIONS))]


def test_totals_make_the_figures_those_of_the_worst_cell(release):
    receipt = release("0.5", totals=[0, 2, 2, 7])
    assert receipt.maxima == (0, 2, 2, 7, 7)
    laws = [nearest(n, "0.5") for n in receipt.maxima]
    assert receipt.error_probability == max(law.error_probability for law in laws)
    assert receipt.expected_wrong_cells == pytest.approx(sum(law.error_probability for law in laws), rel=1e-10)
    assert receipt.maximum is None
    assert receipt.released[0] == 0


def test_a_single_cell_is_a_count(people):
    """The figures are those of `release_count`, and the price of a change too where there is nowhere else to go."""
    one = release_table(people, "region", ["north"], "0.5", adjacency="add-remove", max_count=4, undeclared="left-out")
    other = release_count(people, "region = 'north'", "0.5", adjacency="add-remove", max_count=4)
    for name in (
        "error_probability",
        "chance_off_by_more_than",
        "maximum",
        "adjacency_meaning",
        "mechanism",
        "reading",
    ):
        assert getattr(one, name) == getattr(other, name)
    assert (one.table_epsilon, one.table_delta) == (other.epsilon, other.delta)


def test_units_in_one_count(people):
    receipt = release_count(people, "age >= 65", SURE, unit="person")
    assert (receipt.released, receipt.maximum, receipt.unit.column) == (4, 5, "person")
    with pytest.raises(BadData, match="empty in some row"):
        release_count(people, "age >= 65", SURE, unit="region")
    receipt = release_count(people, "age >= 65", SURE, unit="region", without_unit="one-unit")
    assert (receipt.released, receipt.maximum, receipt.unit.without) == (5, 5, "one-unit")
    assert release_count(people, "age >= 65", SURE).unit is None


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keys": None}, "keys must be given: which groups there are in the data is private"),
        ({"keys": []}, "keys must be at least one key"),
        ({"by": []}, "by must be the names"),
        ({"undeclared": "drop"}, "undeclared must be one of other, left-out"),
        ({"adjacency": "add-remove"}, "max_count must be given under add-remove: a public maximum for a cell"),
        (
            {"adjacency": "add-remove", "totals": [1, 2, 3, 4]},
            "max_count must be given under add-remove: a public maximum for the cell of undeclared keys",
        ),
        ({"totals": [1, 2, 3, 4], "undeclared": "left-out", "max_count": 5}, "max_count must be left out where every"),
        ({"totals": [1, 2]}, "totals must be one number below"),
        ({"totals": [1, 2, 3, -4]}, "totals must be an integer >= 0"),
        ({"totals": [1, 2, 3, 2**62]}, "totals must be one number below"),
        ({"totals": 5}, "totals must be a file, or one number a key"),
        ({"max_count": -1}, "max_count must be an integer >= 0"),
        ({"unit": "person"}, "max_cells must be given with a unit"),
        ({"max_cells": 2}, "max_cells must be left out without a unit"),
        ({"unit": "person", "max_cells": 0}, "max_cells must be an integer >= 1"),
        ({"without_unit": "one-unit"}, "without_unit must be left out"),
        ({"mechanism": "best"}, "mechanism must be one of nearest, canonical"),
        ({"epsilon": -1}, "epsilon must be a finite number >= 0"),
        ({"delta": 1}, "delta must be a number >= 0 and < 1"),
        ({"adjacency": "rows"}, "adjacency must be one of"),
        ({"where": 5}, "where must be a text"),
        ({"by": "\udcff"}, "by must be text that UTF-8 can encode"),
        ({"unit": "\udcff", "max_cells": 1}, "unit must be text that UTF-8 can encode"),
    ],
)
def test_it_is_refused_before_the_data_is_read(monkeypatch, release, options, message):
    monkeypatch.setattr(hushcount.release.subject, "OpenTable", lambda *_, **__: pytest.fail("the data was read"))
    with pytest.raises(InvalidParameter, match=f"^{message}"):
        release(**options)


def test_several_columns_are_a_list(release):
    rule = r"^by must be columns of the source; for several give a list, \['region', 'age'\] \(got 'region, age'\)$"
    with pytest.raises(InvalidParameter, match=rule):
        release(by="region, age", keys=["north"])
    with pytest.raises(NoSuchColumn, match=r"^no such column: 'a,b'"):
        release(where='"a,b" = 1')


def test_there_is_no_door_for_a_seed(release):
    for name in ("seed", "rng", "random_state", "generator"):
        with pytest.raises(TypeError, match="unexpected keyword"):
            release(**{name: 1})


def test_what_is_too_large(release):
    with pytest.raises(TooLarge, match="below 2"):
        release(adjacency="add-remove", max_count=2**62)
    assert release(adjacency="add-remove", max_count=2**62 - 1).released == (2, 2, 1, 0, 2)


@pytest.mark.parametrize("declared", [{"keys": None, "totals": "link.csv"}, {"keys": "link.csv"}], ids=str)
def test_the_source_does_not_declare_its_own_cells(tmp_path, declared):
    source = tmp_path / "people.csv"
    source.write_text("region,total\nnorth,1\n" if "totals" in declared else "region\nnorth\n")
    (tmp_path / "link.csv").symlink_to(source)
    files = {name: file and tmp_path / file for name, file in declared.items()}
    with pytest.raises(InvalidParameter, match=f"^{[*declared][-1]} must be another file than the source"):
        release_table(source, "region", epsilon=1, **files)


@pytest.mark.slow
def test_no_file_of_a_folder_declares_the_cells_of_the_folder(tmp_path):
    folder = tmp_path / "regions"
    (folder / "year=2024").mkdir(parents=True)
    parquet.write_table(pa.table({"region": ["north"]}), folder / "year=2024" / "a.parquet")
    (tmp_path / "link.parquet").symlink_to(folder / "year=2024" / "a.parquet")
    for keys in (folder / "year=2024" / "a.parquet", tmp_path / "link.parquet"):
        with pytest.raises(InvalidParameter, match=r"^keys must be another file than the sources"):
            release_table(f"spark:{folder}", "region", keys, epsilon=1)


def test_totals_above_the_number_of_rows(release):
    with pytest.raises(InvalidParameter, match=r"^totals must be at most the number of rows, 7, which is public"):
        release(totals=[1, 2, 3, 8])
    with pytest.raises(InvalidParameter, match=r"^totals must be at most the number of units, 5"):
        release(totals=[1, 2, 3, 6], unit="person", max_cells=1)
    release(totals=[1, 2, 3, 8], adjacency="add-remove", max_count=1)


def test_a_mechanism_that_was_brought_along(people):
    law = from_matrix(nearest(3, "0.5").matrix())
    options = {"max_count": 3, "mechanism": law}
    receipt = release_table(people, "region", REGIONS, "0.6", **options)
    assert (receipt.mechanism, receipt.maximum) == ("audited", 3)
    assert receipt.audit.matrix_sha256
    with pytest.raises(InvalidParameter, match="one for the range of the release, 0 to 7"):
        release_table(people, "region", REGIONS, "0.6", mechanism=law)
    with pytest.raises(InvalidParameter, match="one for the range of the release"):
        release_table(people, "region", REGIONS, "0.6", mechanism=law, totals=[3, 3, 3, 2], max_count=3)
    with pytest.raises(InvalidParameter, match=r"^mechanism must be private at epsilon 0.4"):
        release_table(people, "region", REGIONS, "0.4", **options)


# --- the draws --------------------------------------------------------------------------------------------------------


class Recorded:
    """Releases what it is asked about, and notes how it was asked."""

    def __init__(self, n, calls):
        self.n, self.calls = n, calls

    def draw(self, true):
        self.calls.append((self.n, np.size(true)))
        return true


def test_cells_of_one_maximum_are_drawn_in_one_call():
    calls, told = [], []
    true, tops = np.arange(1000), np.repeat([5, 2000], 500)
    released = draw_cells(lambda n: Recorded(n, calls), true, tops, told.append)
    assert released.tolist() == np.minimum(true, tops).tolist()
    assert calls == [(5, 500), (2000, 500)]
    assert told == [1.0]


def test_few_cells_are_drawn_one_by_one():
    calls = []
    draw_cells(lambda n: Recorded(n, calls), np.zeros(FEW, dtype=np.int64), np.array([3]))
    assert calls == [(3, 1)] * FEW


def test_progress_goes_up_to_the_end():
    told = []
    cells = 2 * CHUNK + 5
    draw_cells(lambda n: Recorded(n, []), np.zeros(cells, dtype=np.int64), np.array([3]), told.append)
    assert told == sorted(told)
    assert (len(told), told[-1]) == (3, 1.0)


@pytest.mark.slow
def test_cells_are_independent_draws_of_their_law():
    """Chi-square at a fixed error rate of 1e-6, with a law of another epsilon as the negative control."""
    from scipy.stats import chi2

    cells, n, true = 20_000, 3, 1
    released = draw_cells(lambda n: nearest(n, "0.5"), np.full(cells, true), np.array([n]))
    seen = np.bincount(released, minlength=n + 1)

    def statistic(epsilon):
        expected = cells * nearest(n, epsilon).pmf(true)
        return float(((seen - expected) ** 2 / expected).sum())

    limit = chi2.isf(1e-6, n)
    assert statistic("0.5") < limit < statistic("0.65")


# --- the ledger -------------------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path):
    create_budget(tmp_path / "people.ledger", "people", 1, "1e-2")
    return tmp_path / "people.ledger"


def test_the_promise_for_the_table_is_the_price(release, place):
    paying = {"ledger": place, "budget": "people"}
    receipt = release("0.2", "1e-3", **paying)
    assert (receipt.ledger.left_epsilon, receipt.ledger.left_delta) == ("0.6", str(float(Fraction("0.008001"))))
    (charge,) = Ledger(place).history("people")
    assert charge.question.price.epsilon == Fraction("0.4")
    assert charge.question.price.delta == Fraction("0.001999")
    assert (charge.released, charge.state) == (None, "delivered")
    stored = TableReceipt.from_json(charge.answer)
    assert (stored.keys, stored.schema_version) == (None, 1)
    assert stored.naming(receipt.declared_keys) == receipt
    with pytest.raises(BudgetExceeded) as caught:
        release("0.301", **paying)
    assert caught.value.requested.epsilon == Fraction("0.602")
    assert release("0.3", **paying).ledger.left_epsilon == "0"
    assert Ledger(place).verify().verdict is Verdict.INTACT


def test_the_same_table_is_answered_once(release, people, place):
    paying = {"ledger": place, "budget": "people"}
    first = release("0.1", **paying, request_id="r")
    assert release("1/10", **paying) == first
    assert release("0.1", where="true", **paying) == first
    people.unlink()
    assert release("0.1", **paying, request_id="r") == first
    with pytest.raises(InvalidParameter, match=r"^request_id must be an id of its own"):
        release("0.11", **paying, request_id="r")
    assert len(Ledger(place).history("people")) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"keys": REGIONS[::-1]},
        {"keys": REGIONS[1:]},
        {"undeclared": "left-out"},
        {"max_count": 6},
        {"totals": [7, 7, 7, 7]},
        {"unit": "person", "max_cells": 1},
        {"unit": "person", "max_cells": 2},
        {"unit": "person", "max_cells": 1, "without_unit": "one-unit"},
        {"where": "age > 0"},
        {"mechanism": "canonical"},
        {"by": "person", "keys": ["ann", "bob"]},
        {"fresh": True},
    ],
    ids=str,
)
def test_another_table_is_charged(release, place, change):
    create_budget(place, "plenty", 100)
    paying = {"ledger": place, "budget": "plenty"}
    release("0.1", **paying, **({"unit": "person", "max_cells": 3} if "unit" in change else {}))
    release("0.1", **paying, **change)
    assert len(Ledger(place).history("plenty")) == 2


@pytest.mark.parametrize("caps", [(1, 2), (2, 7)])
def test_another_maximum_of_the_last_cell_is_another_table(release, place, caps):
    """Where the totals are larger, it is not in the largest maximum."""
    create_budget(place, "plenty", 100)
    tops = [
        release("0.1", ledger=place, budget="plenty", totals=[7, 7, 7, 7], max_count=cap).maxima[-1] for cap in caps
    ]
    assert tops == list(caps)


def test_cell_and_table_prices_do_not_stand_in_for_each_other(release, place):
    """Equal products of k and epsilon are different tables."""
    create_budget(place, "plenty", 100)
    paying = {"ledger": place, "budget": "plenty", "unit": "person"}
    release("0.2", **paying, max_cells=1)
    release("0.1", **paying, max_cells=2)
    assert [charge.question.price.epsilon for charge in Ledger(place).history("plenty")] == [Fraction("0.4")] * 2
    assert len({charge.question.sha256 for charge in Ledger(place).history("plenty")}) == 2


def test_a_count_and_a_count_of_units_are_different_questions(people, place):
    with Session(people, place, "people") as session:
        session.count("age >= 65", epsilon="0.1", unit="person")
        session.count("age >= 65", epsilon="0.1", unit="person", without_unit="one-unit")
        assert len(session.history()) == 2
        session.count("age >= 65", epsilon="0.1", unit="person")
        assert session.basis is Basis.STORED
        with pytest.raises(InvalidParameter, match="unit must be 'person', as in what was charged"):
            session.count("age >= 65", epsilon="0.1")
    rows, units = (
        CountQuestion.of(Subject.of(people, unit=unit), "TRUE", EpsilonDelta.of(1)) for unit in (None, "person")
    )
    assert rows.settled(7).charged() != units.settled(7).charged()


def test_a_session(people, place):
    with Session(people, place, "people") as session:
        told = []
        receipt = session.table("region", REGIONS, "0.1", where="age >= 65", progress=told.append)
        assert session.basis is Basis.CHARGED
        assert told[-1] == 1
        assert session.table("region", REGIONS, "0.1", where="age>=65") == receipt
        assert str(receipt).splitlines()[2].startswith("region   released")
        assert session.basis is Basis.STORED
        assert session.remaining.epsilon == Fraction("0.8")
    with pytest.raises(BadUse, match="ended"):
        session.table("region", REGIONS, "0.1")


def test_what_values_tell_stays_charged(tmp_path, release, people, place):
    create_budget(place, "units", 1)
    said = ".*; the data had been read, so epsilon {}, delta 0 stay charged to the budget "
    with pytest.raises(
        InvalidParameter, match=f"it holds texts, and the keys are whole numbers{said.format('0.2')}'people'"
    ) as caught:
        release("0.1", keys=[1, 2], ledger=place, budget="people")
    assert [caught.value.charged] == list(Ledger(place).history("people"))
    with pytest.raises(BadData, match=f"empty in some row{said.format('0.1')}'units'") as caught:
        release("0.1", by="age", keys=[70], unit="region", max_cells=1, ledger=place, budget="units")
    assert [caught.value.charged] == list(Ledger(place).history("units"))
    assert caught.value.charged.state == "charged, not delivered"


@pytest.mark.parametrize(
    "options",
    [
        {"by": "regoin"},
        {"where": "nope = 1"},
        {"unit": "persn", "max_cells": 1},
        {"totals": [1, 2, 3, 8]},
        {"options": ReadOptions(types={"region": "integer"})},
    ],
    ids=str,
)
def test_what_is_public_is_found_free_of_charge(release, place, options):
    with pytest.raises((BadUse, PredicateRefused)):
        release("0.1", ledger=place, budget="people", **options)
    assert Ledger(place).history("people") == ()


def test_the_charge_is_committed_before_the_cells_are_read(monkeypatch, release, place):
    seen = []
    read = OpenTable.tally_cells

    def watched(self):
        seen.append(len(Ledger(place).history("people")))
        return read(self)

    monkeypatch.setattr(OpenTable, "tally_cells", watched)
    release("0.1", ledger=place, budget="people")
    assert seen == [1]


def test_all_answers_take_the_same_room(place):
    from hushcount.ledger import Question
    from hushcount.promise.epsilon_delta import EpsilonDelta

    ledger = Ledger(place)
    create_budget(place, "plenty", 100)
    question = Question("TRUE", 100, Adjacency.REPLACE_ONE, "nearest", EpsilonDelta.of("0.1"), cells=3)
    assert Question.from_json(question.to_json()) == question
    lengths = set()
    for released in ([0, 0, 0], [100, 100, 100], [1, 10, 100]):
        charge = ledger.charge("plenty", question, fresh=True).charge
        ledger.deliver(charge, json.dumps({"released": released}))
        with ledger._store.reading() as transaction:
            lengths.add(len(list(hushcount.ledger.book.Book(transaction, "").rows())[-1].body))
    assert len(lengths) == 1
    charge = ledger.charge("plenty", question, fresh=True).charge
    for bad in ([0, 0], [0, 0, 101], [0, 0, True], 5, [0, 0, 0.0], None):
        with pytest.raises(InvalidParameter, match="a list of 3 whole numbers"):
            ledger.deliver(charge, json.dumps({"released": bad}))


# --- receipts ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"released": [1, 2]}, "released must have one count for each cell"),
        ({"released": [1, 2, 1, 0, 8]}, "released must be from minimum to maximum"),
        ({"released": [1, 2, 1, 0, -1]}, "greater than or equal to 0"),
        ({"maximum": None}, "either maximum or maxima must be there"),
        ({"maxima": [7] * 5}, "either maximum or maxima must be there"),
        ({"maximum": None, "maxima": [7] * 4}, "maxima must have one count for each cell"),
        ({"maximum": None, "maxima": [0, 7, 7, 7, 7], "released": [1, 0, 0, 0, 0]}, "from minimum to maxima"),
        ({"changed_cells": 6, "table_epsilon": "3"}, "changed_cells must be what the adjacency and max_cells make it"),
        ({"changed_cells": 1}, "changed_cells must be what the adjacency and max_cells make it"),
        ({"adjacency": "add-remove", "public_count": None}, "changed_cells must be what the adjacency"),
        ({"adjacency": "add-remove"}, "public_count must be at least every maximum, and is private under add-remove"),
        ({"max_cells": 1}, "max_cells must be there where units are counted"),
        ({"table_epsilon": "0.999"}, "table_epsilon must be epsilon times changed_cells, or more"),
        ({"delta": "0.1"}, "table_delta must be at least delta"),
        ({"table_epsilon": "0.50"}, "in its normal form"),
        ({"keys_sha256": "x"}, "match pattern"),
        ({"by": []}, "at least 1"),
        ({"undeclared": "dropped"}, "'other' or 'left-out'"),
        ({"cells": 5}, "one count for each cell"),
        ({"extra": 1}, "not permitted"),
    ],
    ids=str,
)
def test_a_receipt_that_was_changed(release, changes, message):
    facts = json.loads(release("0.5").to_json()) | {"released": [1, 2, 1, 0, 2]}
    TableReceipt.from_json(json.dumps(facts))
    with pytest.raises(BadData, match=f"not a receipt: .*{message}"):
        TableReceipt.from_json(json.dumps(facts | changes))


def test_a_receipt_is_a_value(release):
    receipt = release("0.5")
    assert hash(receipt) == hash(receipt.receipt_id)
    with pytest.raises(ValidationError, match="frozen"):
        receipt.released = ()
    assert str(receipt).startswith("Released table: 4 cells, and one for all other keys\n\nregion   released\nnorth ")

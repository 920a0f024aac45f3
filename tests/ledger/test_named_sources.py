"""Sources without a path: known by a name alone, in a ledger and in its list."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hushcount import Session, create_budget, release_count
from hushcount.counting.declared.named import named
from hushcount.counting.declared.place import NAMED, Place, place_of
from hushcount.errors import BadData, InvalidParameter
from hushcount.ledger import Ledger, ListedSource, add_source
from hushcount.ledger.listing import misfit

VISITS = pa.table({"age": [70, 30, 80], "person": ["a", "b", None]})


@pytest.fixture
def place(file):
    create_budget(file, "people", 1000)
    return file


@pytest.fixture
def spooled(tmp_path):
    """A file that only holds what came from elsewhere, as standard input does."""
    path = tmp_path / "spooled"
    path.write_text("age\n70\n30\n80\n")
    return Place("file", str(path), "standard input", "standard input", NAMED)


def test_a_name_makes_the_identity():
    first, second = named(VISITS, "visits-2026"), named(VISITS.slice(1), "visits-2026")
    assert first == second
    assert first.sha256 == second.sha256 != named(VISITS, "visits-2025").sha256
    assert (first.name, first.shown, first.paths, first.is_named) == ("visits-2026", "visits-2026", (), True)
    assert "30" not in repr(first)


@pytest.mark.parametrize("name", ["", " x", "x\n", "a/b", "a\\b", "spark:x", "x" * 201, 7, b"x", "\ud800"])
def test_a_name_fits_on_a_line_and_is_no_path(name):
    with pytest.raises(InvalidParameter, match=r"^source_name must be a printable text"):
        named(VISITS, name)


def test_a_path_needs_no_name(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age\n1\n")
    with pytest.raises(InvalidParameter, match=r"^source_name must be left out: people.csv is known by its path"):
        release_count(path, "age > 0", 1, source_name="people")
    with pytest.raises(InvalidParameter, match=r"^source must be given beside source_name"):
        release_count(None, "age > 0", 1, source_name="people")


def test_a_ledger_asks_for_a_name(place, spooled):
    for source in (VISITS, spooled):
        with pytest.raises(InvalidParameter, match=r"^source_name must be given with a ledger"):
            release_count(source, "age > 65", 1, ledger=place, budget="people")
        with pytest.raises(InvalidParameter, match=r"^source_name must be given with a ledger"):
            Session(source, place, "people")
        with pytest.raises(InvalidParameter, match=r"^source_name must be given with a ledger"):
            add_source(place, "people", source)
        assert release_count(source, "age > 65", 1000).released == 2


def test_one_name_is_one_source(place):
    asked = {"ledger": place, "budget": "people"}
    first = release_count(VISITS, "age > 65", 1, source_name="visits", **asked)
    assert (first.source, first.ledger.left_epsilon) == ("visits", "999")
    assert release_count(VISITS.select(["age"]), "age>65", 1, source_name="visits", **asked) == first
    other = release_count(VISITS, "age > 65", 1, source_name="visits-2", **asked)
    assert other.ledger.left_epsilon == "998"
    assert Ledger(place).verify().is_intact


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_another_number_of_rows_under_a_name_is_noticed_where_it_is_public(file, adjacency):
    """There it is another question; where it is private, the stored answer is given."""
    is_public = adjacency == "replace-one"
    create_budget(file, "people", 1000, adjacency=adjacency)
    asked = {"ledger": file, "budget": "people", "source_name": "visits", "adjacency": adjacency}
    asked |= {} if is_public else {"max_count": 5}
    first = release_count(VISITS, "age > 65", 1, **asked)
    other = release_count(VISITS.slice(1), "age > 65", 1, **asked)
    assert (other == first) != is_public
    assert Ledger(file).budget("people").charges == 1 + is_public


@pytest.mark.parametrize("kind", ["frame", "spooled"])
def test_a_named_source_is_listed(place, spooled, kind, tmp_path):
    data = VISITS if kind == "frame" else spooled
    listed = add_source(place, "people", data, source_name="visits")
    ledger = Ledger(place)
    assert ledger.sources("people") == (listed,)
    assert ListedSource.from_body(listed.to_body()) == listed
    assert (listed.name, listed.address, listed.stamp, listed.is_named) == ("visits", "name:visits", None, True)
    assert (listed.place(tmp_path).paths, ledger.source_paths()) == ((), ())
    assert misfit(ledger, listed) is None
    asked = {"ledger": place, "budget": "people"}
    receipt = release_count(data, "age > 65", 500, source_name="visits", **asked)
    assert (receipt.released, receipt.source) == (2, "visits")
    with Session(data, place, "people", source_name="visits") as session:
        assert session.count("age>65", 500) == receipt
        assert str(session).startswith("Session about visits, charged to people of ")
    for source in (None, "visits"):
        with pytest.raises(InvalidParameter, match=r"^source must be the data themselves: .* visits by its name alone"):
            release_count(source, "age > 65", 1, **asked)
    with pytest.raises(InvalidParameter, match=r"^source must be one that the budget 'people' lists"):
        release_count(data, "age > 65", 1, source_name="visit", **asked)
    with pytest.raises(InvalidParameter, match=r"^source must be one that the budget 'people' does not list already"):
        add_source(place, "people", data, source_name="visits")
    assert ledger.verify().is_intact


def test_what_comes_under_a_listed_name_must_fit_the_list(file):
    budget = create_budget(
        file, "people", 1000, source=VISITS, source_name="visits", unit="person", without_unit="one-unit"
    )
    assert budget.sources[0].schema.shown() == {"age": "integer", "person": "text"}
    asked = {"source_name": "visits", "ledger": file, "budget": "people"}
    assert release_count(VISITS, "age > 65", 500, **asked).released == 2
    for other in (VISITS.select(["age"]), VISITS.set_column(0, "age", [["70", "30", "80"]]), VISITS.select([1, 0])):
        with pytest.raises(BadData) as caught:
            release_count(other, "age > 65", 1, **asked)
        assert str(caught.value) == (
            "visits cannot be read as its columns are listed; hushcount.counting.check_source tells its owner where"
        )
    assert Ledger(file).budget("people").charges == 1


def test_a_unit_that_is_missing_is_found_each_time(file):
    create_budget(file, "people", 1000, source=VISITS.slice(0, 2), source_name="visits", unit="person")
    with pytest.raises(BadData, match=r"^visits cannot be read as its columns are listed"):
        release_count(VISITS, "age > 65", 1, source_name="visits", ledger=file, budget="people")
    assert Ledger(file).budget("people").charges == 0


def test_a_file_and_a_name_are_two_sources(place, tmp_path):
    path = tmp_path / "visits"
    path.write_text("age\n70\n")
    by_path = add_source(place, "people", path)
    by_name = add_source(place, "people", VISITS, source_name="visits")
    assert by_path.key != by_name.key
    asked = {"ledger": place, "budget": "people"}
    assert release_count(path, "age > 65", 400, **asked).maximum == 1
    assert release_count(VISITS, "age > 65", 400, source_name="visits", **asked).maximum == 3
    assert place_of(path).is_named is False


def test_a_name_without_a_source_makes_no_budget(file):
    with pytest.raises(InvalidParameter, match=r"^source_name must be given with a source"):
        create_budget(file, "people", 1, source_name="visits")

"""Listing sources: the owner has one read once, and whoever asks about it later is judged by what was found."""

from __future__ import annotations

from pathlib import Path

from hushcount.counting import ReadOptions, check_source, read_schema
from hushcount.counting.declared.place import Place, place_of
from hushcount.counting.declared.units import Unit
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.ledger.ledger import Ledger
from hushcount.ledger.listed import ListedSource, address_of, not_listed_yet, stamp_of
from hushcount.ledger.location import Location

__all__ = ["add_source", "misfit", "read_source"]


def add_source(
    ledger: Ledger | Location,
    budget: str,
    source: str | Path,
    *,
    options: ReadOptions | None = None,
    unit: str | None = None,
    without_unit: str | None = None,
) -> ListedSource:
    """List a source under a budget, for good, after reading all of it once for its owner.

    From the first source on, a release under the budget is about a source of the list, read as it is listed, and is
    judged by the list alone before the source is opened: what whoever asks could choose no longer decides an error.
    The ledger keeps the name and the place of the source, how it is read, and the type of every column; no value and no
    hash of the data. A source is listed once.

    Args:
        ledger: a `Ledger`, or where it is.
        budget: the name of one of its budgets.
        source: as in `release_count`. A file in the folder of the ledger, or below it, is known by its path from there.
        options: how it is read; see `ReadOptions`. A column of a CSV file whose type is not pinned has the type that
            its values tell now.
        unit: the column that tells whom a row belongs to; None where one row is one of whom the budget protects.
        without_unit: what a row is whose unit is missing: "error" (the default), or "one-unit".

    Raises:
        BadUse: an argument breaks its rule; the source is listed already; the budget is closed; or what was charged to
            it so far protects somebody else.
        BadData: the source cannot be read; the message names column and line, where there are such.
        LedgerUnusable: the ledger cannot be used.
    """
    opened, reading = ledger if isinstance(ledger, Ledger) else Ledger(ledger), _options(options)
    place = place_of(source)
    _check_new_place(opened, budget, place, reading.table)
    return opened.add_source(budget, read_source(place, opened.folder, reading, unit, without_unit))


def read_source(
    source: str | Path | Place,
    folder: Path | None,
    options: ReadOptions | None,
    unit: str | None,
    without_unit: str | None,
) -> ListedSource:
    """What the list says of a source, for a ledger in `folder`; reads all of it.

    Raises:
        BadUse, BadData: as `add_source` does.
    """
    place, reading = place_of(source), _options(options)
    told_by = Unit.of(unit, "error" if without_unit is None else without_unit)
    before = stamp_of(place)
    schema = read_schema(place, reading, told_by)
    if stamp_of(place) != before:
        raise BadData(f"{place.shown} was changed while it was read")
    return ListedSource(place.name, address_of(place, folder), place.sha256, reading, told_by, schema, before)


def misfit(ledger: Ledger, source: ListedSource) -> str | None:
    """What is wrong with a source that a budget of the ledger lists, for the eyes of its owner; None if nothing is.

    Reads all of it. The message names column and line, where there are such.
    """
    try:
        check_source(source.place(ledger.folder), source.schema, source.options, source.unit)
    except (BadData, BadUse) as error:
        return str(error)
    return None


def _options(options: ReadOptions | None) -> ReadOptions:
    if not isinstance(options, (ReadOptions, type(None))):
        raise InvalidParameter("options", options, "a ReadOptions")
    return ReadOptions() if options is None else options


def _check_new_place(ledger: Ledger, budget: str, place: Place, table: str | None) -> None:
    """See early that a place is not listed, by whatever way its file can be named.

    Raises:
        InvalidParameter: it is; or there is no such budget.
    """
    for other in ledger.sources(budget):
        if (None in (table, other.options.table) or table == other.options.table) and other.is_at(place, ledger.folder):
            raise InvalidParameter("source", place.name, not_listed_yet(budget))

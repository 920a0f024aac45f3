"""Listing sources: the owner has one read once, and whoever asks about it later is judged by what was found."""

from __future__ import annotations

from pathlib import Path

from hushcount.counting import ReadOptions, check_source, read_schema
from hushcount.counting.declared.named import check_known, named
from hushcount.counting.declared.place import Place, SourceLike
from hushcount.counting.declared.units import Unit
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.ledger.ledger import Ledger
from hushcount.ledger.listed import ListedSource, address_of, not_listed_yet, stamp_of
from hushcount.ledger.location import Location

__all__ = ["add_source", "misfit", "read_source"]


def add_source(
    ledger: Ledger | Location,
    budget: str,
    source: SourceLike | Place,
    *,
    source_name: str | None = None,
    options: ReadOptions | None = None,
    unit: str | None = None,
    without_unit: str | None = None,
) -> ListedSource:
    """List a source under a budget, permanently, after reading all of it once for its owner.

    From the first source on, a release under the budget is about a source of the list, read as it is listed. It is
    judged by the list alone before the source is opened, so that nothing which the person asking could choose decides
    an error. The ledger keeps the name and the place of the source, how it is read, and the type of every column; no
    value and no hash of the data. A source is listed once.

    Args:
        ledger: a `Ledger`, or where it is.
        budget: the name of one of its budgets.
        source, source_name: as in `release_count`. A file in the folder of the ledger, or below it, is known by its
            path from there. Of data without a path the list has the name alone: they come with each question, and are
            checked each time.
        options: how it is read; see `ReadOptions`. A column of a CSV file whose type is not pinned has the type that
            its values tell now.
        unit: the column that tells whom a row belongs to; None where each row is one of whom the budget protects.
        without_unit: how to treat a row whose unit is missing: "error" (the default), or "one-unit", which makes all
            such rows one unit.

    Raises:
        BadUse: an argument breaks its rule; the source is listed already; the budget is closed; or what was charged to
            it so far protects somebody else.
        BadData: the source cannot be read; the message names column and line, if there are any.
        LedgerUnusable: the ledger cannot be used.
    """
    opened, reading = ledger if isinstance(ledger, Ledger) else Ledger(ledger), _options(options)
    place = named(source, source_name)
    _check_new_place(opened, budget, place, reading.table)
    return opened.add_source(budget, read_source(place, opened.folder, reading, unit, without_unit))


def read_source(
    place: Place, folder: Path | None, options: ReadOptions | None, unit: str | None, without_unit: str | None
) -> ListedSource:
    """Return what the list says of the source at a place, for a ledger in `folder`; this reads all of it.

    Raises:
        BadUse, BadData: as for `add_source`.
    """
    check_known(place)
    reading = _options(options)
    told_by = Unit.of(unit, "error" if without_unit is None else without_unit)
    before = stamp_of(place)
    schema = read_schema(place, reading, told_by)
    if stamp_of(place) != before:
        raise BadData(f"{place.shown} was changed while it was read")
    return ListedSource(place.name, address_of(place, folder), place.sha256, reading, told_by, schema, before)


def misfit(ledger: Ledger, source: ListedSource) -> str | None:
    """Return what is wrong with a source that a budget of the ledger lists, for its owner's eyes only; None if
    nothing is, or if its data are not here, since they come with each question.

    This reads all of it. The message names column and line, if there are any.
    """
    if source.is_named:
        return None
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
    """Check early that a place is not listed, by any path to its file.

    Raises:
        InvalidParameter: it is listed, or there is no such budget.
    """
    for other in ledger.sources(budget):
        if (None in (table, other.options.table) or table == other.options.table) and other.is_at(place, ledger.folder):
            raise InvalidParameter("source", place.name, not_listed_yet(budget))

"""What a question is about: a source, how it is read, and whom a row belongs to.

The user says all that, unless the question is charged to a budget that lists its sources. Then the list says it: what
is asked for must not differ from it, and the question is judged by it alone before the source is opened.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushcount.counting import OpenTable, Predicate, ReadOptions, judge
from hushcount.counting.cells.cells import Cells
from hushcount.counting.cells.found import FoundCells
from hushcount.counting.declared.named import check_known, named
from hushcount.counting.declared.place import Place, SourceLike, with_credentials
from hushcount.counting.declared.units import Unit
from hushcount.errors import InvalidParameter
from hushcount.files.whole_files import is_among

if TYPE_CHECKING:
    from hushcount.counting.engines.duckdb import KeptEngine
    from hushcount.counting.sources.kept import KeptSource
    from hushcount.ledger import ListedSource
    from hushcount.release.payment import Payment

__all__ = ["Given", "Subject"]

Given = ReadOptions | Mapping[str, Any] | None
"""How a source is to be read: all of it, or by name the options that were given, the others being as listed."""


@dataclass(frozen=True)
class Subject:
    """A source that a question is about, not opened yet; made by `Subject.of`.

    Attributes:
        place: where the source is.
        options: how it is read.
        unit: whom a row belongs to; None where rows are counted.
        listed: what the budget lists for it; None where the budget lists nothing, or there is no budget.
        budget: the name of the budget; None where there is none.
        other_paths: the files and folders of this machine with other data: those that the ledger lists, for any budget,
            and in a plan those of its other sources.
        kept: what keeps the counting engine, or all of the source, from count to count; None opens both for each count.
    """

    place: Place
    options: ReadOptions
    unit: Unit | None
    listed: ListedSource | None = None
    budget: str | None = None
    other_paths: tuple[str, ...] = ()
    kept: KeptEngine | KeptSource | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        source: SourceLike | Place | None,
        options: Given = None,
        unit: str | None = None,
        without_unit: str | None = None,
        payment: Payment | None = None,
        source_name: str | None = None,
        rows_per_unit: int | None = None,
    ) -> Subject:
        """Return the source that was asked for, as the budget lists it if it lists any.

        Args:
            source, source_name: as in `release_count`; None stands for the only one of the list.
            options: what was given of how it is read.
            unit, without_unit, rows_per_unit: as in `release_count`; None where nothing was given.

        Raises:
            BadUse: an argument breaks its rule, or differs from the list; or there is no source, or no single one.
            BadData: an address of a kind that cannot be a source.
        """
        if not isinstance(options, (ReadOptions, Mapping, type(None))):
            raise InvalidParameter("options", options, "a ReadOptions")
        if isinstance(options, Mapping) and not set(options) <= {item.name for item in fields(ReadOptions)}:
            raise InvalidParameter("options", options, "a ReadOptions, or some of its fields by name")
        place = None if source is None else named(source, source_name)
        if place is None and source_name is not None:
            raise InvalidParameter("source", None, "given beside source_name: the data that it names")
        if place is not None and payment is not None:
            check_known(place)
        budget = None if payment is None else payment.budget
        listed = () if payment is None else payment.ledger.sources(payment.budget)
        if listed and payment is not None:
            found = _listed(listed, payment, place, _given(options), unit, without_unit)
            return replace(found, other_paths=payment.ledger.source_paths()).counting(rows_per_unit)
        if place is None:
            where = "" if budget is None else f"; the budget {budget!r} lists none"
            raise InvalidParameter("source", None, f"given: a file, or an address{where}")
        reading = options if isinstance(options, ReadOptions) else ReadOptions(**(options or {}))
        told_by = Unit.of(unit, "error" if without_unit is None else without_unit, rows_per_unit)
        paths = () if payment is None else payment.ledger.source_paths()
        return cls(place, reading, told_by, None, budget, paths)

    def counting(self, rows_per_unit: int | None) -> Subject:
        """Return the same with at most so many rows of each unit counted; None leaves it as it is.

        Raises:
            InvalidParameter: there are no units, or it is not an integer from 1 to 10^9.
        """
        if rows_per_unit is None:
            return self
        unit = self.unit
        column, without = (None, "error") if unit is None else (unit.column, unit.without)
        return replace(self, unit=Unit.of(column, without, rows_per_unit))

    @property
    def name(self) -> str:
        """The name of the file, without its folder; or the address, without credentials."""
        return self.place.name

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders of this machine with the data: of the source, and of all others."""
        return (*self.place.paths, *self.other_paths)

    def check_texts(self, **texts: str) -> None:
        """Check that a receipt can repeat what was said of the source, and these texts of the question.

        Raises:
            InvalidParameter: something that is not a text, or that UTF-8 cannot encode.
        """
        unit = "" if self.unit is None else self.unit.column
        texts |= {"table": self.options.table or "", "unit": unit}
        for argument, text in [*texts.items(), *(("types", name) for name in self.options.types)]:
            if not isinstance(text, str):
                raise InvalidParameter(argument, text, "a text")
            try:
                text.encode("utf-8")
            except UnicodeEncodeError:
                raise InvalidParameter(argument, text, "text that UTF-8 can encode") from None

    def check_declared(self, argument: str, path: str | os.PathLike[str]) -> None:
        """Check that a file which declares something (keys, totals, a mechanism) is none of those with the data.

        Its content is public: a table shows the keys, and an error what is wrong with it.

        Raises:
            InvalidParameter: it is one of them.
        """
        if is_among(path, self.paths):
            rule = "another file than the sources: what is declared is shown, and rows would be"
            raise InvalidParameter(argument, str(path), rule)

    def about(self) -> dict[str, Any]:
        """Return what a question says of it; the same wherever the ledger's folder is mounted, if it is listed."""
        from hushcount.ledger.listed import about

        if self.listed is not None:
            return self.listed.about()
        return about(self.place.name, self.place.sha256, self.options, self.unit)

    def judge(self, predicate: Predicate, cells: Cells | FoundCells | None = None) -> None:
        """Check, by the list alone, that a condition and keys fit the types of the columns; without a list, do nothing.

        Raises:
            BadUse: they do not.
        """
        if self.listed is not None:
            judge(predicate, self.listed.schema, self.unit, cells, self.place.kind)

    def open(self, predicate: Predicate, cells: Cells | FoundCells | None = None) -> OpenTable:
        """Open the source for a condition, and for cells if a table is asked for.

        Raises:
            BadUse, BadData: as for `OpenTable`.
        """
        schema = None if self.listed is None else self.listed.schema
        unit = self.unit if cells is None else None  # else the cells have it
        return OpenTable(self.place, predicate, self.options, unit=unit, cells=cells, schema=schema, kept=self.kept)

    def check(self, table: OpenTable) -> None:
        """Check that all columns of a listed source are as they are listed, unless it has not changed since.

        Raises:
            BadData: they are not; the message names only the source.
        """
        if self.listed is None:
            return
        from hushcount.ledger.listed import stamp_of

        if self.listed.stamp is None or stamp_of(self.place) != self.listed.stamp:
            table.check_fits()


def _given(options: Given) -> dict[str, Any]:
    """Return what was said of how the source is read; None as the table names no table."""
    said = options.to_dict() if isinstance(options, ReadOptions) else dict(options or {})
    return {name: value for name, value in said.items() if not (name == "table" and value is None)}


def _listed(
    listed: Sequence[ListedSource],
    payment: Payment,
    place: Place | None,
    given: Mapping[str, Any],
    unit: str | None,
    without_unit: str | None,
) -> Subject:
    budget, folder = payment.budget, payment.ledger.folder
    found = _chosen(listed, budget, folder, place, given.get("table"))
    ReadOptions(**{**found.options.to_dict(), **given})  # raises an error for what breaks a rule
    for name, value in given.items():
        _check_given(found, name, value)
    _check_unit(found, unit, without_unit)
    ours = found.place(folder)
    if found.is_named:
        if place is None or not place.is_named:
            rule = f"the data themselves: the budget {budget!r} lists {found.name} by its name alone (source_name)"
            raise InvalidParameter("source", None, rule)
        ours = place
    if place is not None and place.kind == "postgresql":
        ours = with_credentials(ours, place)
    # What errors and receipts call it is in the list
    return Subject(replace(ours, shown=found.name, name=found.name), found.options, found.unit, found, budget)


def _chosen(
    listed: Sequence[ListedSource], budget: str, folder: Path | None, place: Place | None, table: str | None
) -> ListedSource:
    """Return the listed source that was asked for."""
    names = ", ".join(dict.fromkeys(source.name for source in listed))
    named = [source for source in listed if place is None or _is_named(source, place, folder)]
    if place is not None and not named:
        rule = f"one that the budget {budget!r} lists, by its path, or by its name if no other file has it: {names}"
        raise InvalidParameter("source", place.name, rule)
    found = [source for source in named if table in (None, source.options.table)]
    if len(found) == 1:
        return found[0]
    if not found:
        rest = f": {_tables(named)}" if len(named) > 1 else ", or left out"
        raise InvalidParameter("table", table, f"as the budget {budget!r} lists it{rest}")
    if len({source.path_sha256 for source in found}) == 1:
        tables = _tables(found)
        raise InvalidParameter("table", None, f"given: the budget {budget!r} lists several of this source, {tables}")
    raise InvalidParameter("source", None, f"given, by its path: the budget {budget!r} lists several, {names}")


def _tables(listed: Sequence[ListedSource]) -> str:
    return ", ".join(str(source.options.table) for source in listed)


def _is_named(source: ListedSource, place: Place, folder: Path | None) -> bool:
    return source.is_at(place, folder) or (place.text == source.name and not os.path.lexists(place.text))


def _check_given(source: ListedSource, name: str, value: Any) -> None:
    """Check that an option that was given is that of the list."""
    ours = source.options.to_dict()
    if name == "types":
        for column, kind in value.items():
            if ours["types"].get(column, source.schema.shown().get(column)) != kind:
                rule = f"those of {source.name} as it is listed, or left out"
                raise InvalidParameter("types", f"{column}={kind}", rule)
    elif value != getattr(source.options, name):
        raise InvalidParameter(
            name, value, f"{getattr(source.options, name)!r}, as {source.name} is listed, or left out"
        )


def _check_unit(source: ListedSource, unit: str | None, without_unit: str | None) -> None:
    """Check that a unit that was given is that of the list."""
    ours = source.unit
    if unit is not None and (ours is None or unit != ours.column):
        told = "left out: rows are counted" if ours is None else f"{ours.column!r} or left out"
        raise InvalidParameter("unit", unit, f"{told}, as {source.name} is listed")
    if without_unit is not None and without_unit != ("error" if ours is None else ours.without):
        told = "left out: rows are counted" if ours is None else f"{ours.without!r} or left out"
        raise InvalidParameter("without_unit", without_unit, f"{told}, as {source.name} is listed")

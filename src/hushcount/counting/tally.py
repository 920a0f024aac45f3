"""Counting: how many rows, or units, of a table satisfy a predicate. The only place where a true count exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hushcount.counting.cells.cells import Cells, CellTally
from hushcount.counting.cells.found import FoundCells, FoundTally
from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place, SourceLike, place_of
from hushcount.counting.declared.schema import Schema
from hushcount.counting.declared.units import Unit
from hushcount.counting.faults import foreign_errors, telling_no_cell
from hushcount.counting.judging import Judged, judge, named_columns, needed_columns
from hushcount.counting.meaning.query import ALL, WITHOUT_UNIT, units_sql
from hushcount.counting.meaning.types import ColumnType
from hushcount.counting.predicate.predicate import Predicate, check_names, parse_predicate
from hushcount.counting.sources.inspection import check_schema, check_units, load_all
from hushcount.counting.sources.kept import KeptSource
from hushcount.counting.sources.source import Source
from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.words.shell import as_option

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hushcount.counting.engines.duckdb import KeptEngine

__all__ = ["OpenTable", "Tally", "count_matching"]


@dataclass(frozen=True, repr=False)
class Tally:
    """A true count, to be held in memory only; its `repr` shows no number, so that no log or traceback does.

    Attributes:
        rows: the number of rows of the table; where units are counted, of its units.
        matching: the number of rows of which the predicate is true; unknown (NULL) is not true. Of units: of those with
            such a row; or of such rows, where only so many of each unit count.
        predicate: the predicate as normalized SQL.
    """

    rows: int
    matching: int
    predicate: str

    def __repr__(self) -> str:
        return f"Tally(rows=<hidden>, matching=<hidden>, predicate={self.predicate!r})"


class OpenTable:
    """A table opened for a predicate; what can be checked without looking at a value is checked.

    With a schema, the question is judged by that alone, before the source is opened, and then the source must have
    exactly these columns. Anything wrong with its data is one error, which names the source and no column, line or
    value, so that an error tells whoever asks nothing about the data.

    Without one, the question is judged by the columns of the file and by what types are declared: those that Parquet,
    DuckDB, PostgreSQL and Spark have, those that are pinned for a CSV file, and those of SQLite's usual words. So up to
    `tally` only what is public has been told: the columns, and whether the file can be read (docs/theory.md, "What is
    not protected"). Used as a context, it closes the file.

    Args:
        source, where, options: as in `count_matching`; with a schema, `options.types` has no say.
        unit: what is counted, if not rows.
        cells: the cells to count in, with their unit, for `tally_cells` or `tally_found`; None for one count.
        schema: what `read_schema` found the source to have; None to go by the source itself.
        kept: what keeps an engine, or all of the source, from count to count; None opens both for this count alone.

    Raises:
        PredicateRefused, NoSuchColumn, InvalidParameter, BadData: as for `count_matching`.
    """

    @telling_no_cell
    def __init__(
        self,
        source: SourceLike | Place,
        where: str | Predicate,
        options: ReadOptions | None = None,
        *,
        unit: Unit | None = None,
        cells: Cells | FoundCells | None = None,
        schema: Schema | None = None,
        kept: KeptEngine | KeptSource | None = None,
    ) -> None:
        if not isinstance(where, (str, Predicate)):
            raise InvalidParameter("where", where, "an SQL condition as text, or what parse_predicate returns")
        if not isinstance(options, (ReadOptions, type(None))):
            raise InvalidParameter("options", options, "a ReadOptions")
        if not isinstance(schema, (Schema, type(None))):
            raise InvalidParameter("schema", schema, "a Schema, as read_schema returns it")
        place = place_of(source)
        self._path = place.shown
        self._teller = "hushcount.counting.check_source" if place.is_named else "hushcount budget source check"
        self._predicate = where if isinstance(where, Predicate) else parse_predicate(where)
        self._unit = unit if cells is None else cells.unit
        self._cells = cells
        self._schema = schema
        self._needed = needed_columns(self._predicate, unit, cells)
        self._judged = None if schema is None else self._judge(schema, place.kind)

        options = ReadOptions() if options is None else options
        with ExitStack() as opened:
            at_hand = kept if isinstance(kept, KeptSource) else opened.enter_context(KeptSource(kept=kept))
            self._at_hand = at_hand
            self._engine: Any = at_hand.engine(place)
            if schema is None:
                self._source: Source = at_hand.source(place, options)
                self._predicate.check_columns(self._source.columns)
                check_names(named_columns(unit, cells), self._source.columns)
                self._pin_unit(options)
                self._pin_found(options)
                judged = self._judge(self._source.declared(self._needed), place.kind)
                self._judged = None if self._source.values_tell else judged
            else:
                with self._as_listed():
                    self._source = at_hand.source(place, replace(options, types={}))
                    check_schema(self._source, self._engine, schema, self._path)
            self._place_kind = place.kind
            self._opened = opened.pop_all()

    def _judge(self, types: Schema | Mapping[str, ColumnType], kind: str) -> Judged:
        return judge(self._predicate, types, self._unit, self._cells, kind)

    def declared(self, name: str) -> ColumnType | None:
        """Return the type that the schema, or else the source itself, declares of a column that the question names;
        None where values tell it."""
        if self._schema is not None:
            return self._schema.usable.get(name)
        return self._source.declared([name]).get(name)

    @contextmanager
    def _as_listed(self) -> Iterator[None]:
        """Turn anything wrong with the data into one error that says no more, where the columns are listed."""
        try:
            yield
        except (BadData, BadUse):
            if self._schema is None:
                raise
            raise BadData(
                f"{self._path} cannot be read as its columns are listed; {self._teller} tells its owner where"
            ) from None

    def __enter__(self) -> OpenTable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The columns of the question whose types nothing but their values tells."""
        if self._schema is not None:
            return ()
        declared = self._source.declared(self._needed)
        return tuple(name for name in self._needed if name not in declared)

    @telling_no_cell
    def check_fits(self) -> None:
        """Check that all columns of the source, read to the end, are as its schema says, and that no row misses its
        unit.

        Raises:
            BadData: they are not; the message names only the source.
        """
        assert self._schema is not None
        with self._as_listed():
            load_all(self._source, self._engine, self._schema, self._path)
            if self._unit is not None:
                check_units(self._source, self._engine, self._unit, self._path)

    @telling_no_cell
    def count_rows(self) -> int:
        """Return the number of rows of the table, which no predicate has judged.

        Raises:
            BadData: the file cannot be read to its end; the message names the line where there are lines.
        """
        if self._at_hand.rows is None:
            with self._as_listed():
                self._at_hand.rows = self._source.count_rows(self._engine, self._needed)
        return self._at_hand.rows

    @telling_no_cell
    def count_units(self) -> int:
        """Return the number of units of the table, looking only at their column.

        This says nothing about rows that miss their unit: under the rule "error" they are no unit here, and `tally`
        finds them.

        Raises:
            BadData: as for `count_rows`.
            InvalidParameter: the type of the column is unsuitable.
        """

        assert self._unit is not None
        if self._at_hand.units is None:
            with self._as_listed():
                types = self._source.load(self._engine, (self._unit.column,))
            self._unit.check_type(types[self._unit.column])
            is_one = self._unit.without == "one-unit"
            with self._as_listed(), foreign_errors(self._unread):
                ((units,),) = self._engine.rows(units_sql(self._unit.column, is_one, self._engine.conditions))
            self._at_hand.units = int(units)
        return self._at_hand.units

    @telling_no_cell
    def tally(self) -> Tally:
        """Read the columns of the predicate (and the unit) and judge every row; once.

        Raises:
            PredicateRefused: the predicate does not fit the types of the columns, which their values tell.
            BadData: a column is not as declared, a row has no unit, or the file was changed since it was counted.
        """
        if self._unit is not None:
            everything, counted = self._grouped()
            return Tally(everything, int(counted[0]), self._predicate.sql)
        sql = self._asked().sql
        with self._as_listed(), foreign_errors(self._unread):
            rows, matching = self._engine.count(sql)
        self._check_unchanged(rows, self._at_hand.rows)
        return Tally(rows, matching, self._predicate.sql)

    @telling_no_cell
    def tally_cells(self) -> CellTally:
        """Read the columns and judge every row, for every cell; once.

        Raises:
            PredicateRefused, BadData: as for `tally`.
            InvalidParameter: the keys do not fit the types of their columns, which their values tell.
        """
        everything, counted = self._grouped()
        return CellTally(everything, counted, self._predicate.sql)

    @telling_no_cell
    def tally_found(self) -> FoundTally:
        """Read the columns and judge every row, for the groups that the data have; once.

        Raises:
            PredicateRefused, BadData: as for `tally`; never for the values of a key.
        """
        import numpy as np

        assert isinstance(self._cells, FoundCells)
        asked = self._asked()
        with self._as_listed(), foreign_errors(self._unread):
            found = self._engine.found(asked.sql, len(self._cells.groups))
        cell, counted = (found[name].to_numpy().astype(np.int64) for name in ("cell", "counted"))
        everything = self._checked_everything(cell, counted)
        is_group = cell >= 0
        keys = [found[f"key_{at}"].filter(is_group) for at in range(len(self._cells.groups))]
        spelled = self._cells.spelled(keys, asked.types)
        return FoundTally(everything, spelled, self._cells.kinds(asked.types), counted[is_group], self._predicate.sql)

    def _asked(self) -> Judged:
        """Return the question for the columns that are loaded; it is remade only where their values show their
        types."""
        with self._as_listed():
            types = self._source.load(self._engine, self._needed)
        return self._judged or self._judge(types, self._place_kind)

    def _grouped(self) -> tuple[int, NDArray[np.int64]]:
        """Return the number of everything, and what is counted in each cell."""
        import numpy as np

        assert not isinstance(self._cells, FoundCells)
        asked = self._asked()
        if asked.keys is not None:
            self._engine.keys(asked.keys)
        with self._as_listed(), foreign_errors(self._unread):
            found = self._engine.groups(asked.sql)
        cell, counted = (np.from_dlpack(found[name].combine_chunks()).astype(np.int64) for name in ("cell", "counted"))
        everything = self._checked_everything(cell, counted)
        counts = np.zeros(1 if self._cells is None else len(self._cells), dtype=np.int64)
        is_cell = cell >= 0
        counts[cell[is_cell]] = counted[is_cell]
        return everything, counts

    def _checked_everything(self, cell: NDArray[np.int64], counted: NDArray[np.int64]) -> int:
        """Return the number of everything, as a grouped query labels it.

        Raises:
            BadData: a row misses its unit, or the file was changed since it was counted.
        """
        everything = int(counted[cell == ALL].sum())
        if self._unit is not None and self._unit.without == "error" and counted[cell == WITHOUT_UNIT].sum() > 0:
            with self._as_listed():
                raise BadData(
                    f"{self._path}: column {self._unit.column!r} is empty in some row, which then has no unit; all "
                    "such rows can be declared to be one unit (--without-unit one-unit)"
                )
        self._check_unchanged(everything, self._at_hand.rows if self._unit is None else self._at_hand.units)
        return everything

    def _check_unchanged(self, counted: int, before: int | None) -> None:
        if before not in (None, counted):
            raise BadData(f"{self._path} was changed while it was read")

    @property
    def _unread(self) -> str:
        return f"{self._path}: the rows could not be read to the end"

    def _pin_unit(self, options: ReadOptions) -> None:
        """Pin the type of the unit: whether two rows of a CSV file are of one unit must not depend on a third."""
        if self._unit is None or self._source.format != "csv" or self._unit.column in options.types:
            return
        name = self._unit.column
        if name in self._predicate.columns or (self._cells is not None and name in self._cells.columns):
            pin = as_option("type", f"{name}=text")
            rule = f"a column whose type is pinned ({pin}), since the condition or the keys name it too"
            raise InvalidParameter("unit", name, rule)
        self._source.read_as_text(name)

    def _pin_found(self, options: ReadOptions) -> None:
        """Pin the types of keys that come from the data: how one is spelled must not depend on another row."""
        if not isinstance(self._cells, FoundCells) or self._source.format != "csv":
            return
        for name in self._cells.as_texts:
            if name in self._predicate.columns and name not in options.types:
                pin = as_option("type", f"{name}=text")
                rule = f"columns whose types are pinned ({pin}) where the condition names them too"
                raise InvalidParameter("by", name, rule)
            self._source.read_as_text(name)


def count_matching(
    source: SourceLike,
    where: str | Predicate,
    options: ReadOptions | None = None,
    *,
    unit: str | None = None,
    without_unit: str = "error",
    rows_per_unit: int | None = None,
) -> Tally:
    """Count the rows (or units) of a CSV, JSON, Parquet, Arrow, DuckDB or SQLite file, and those that match.

    The predicate is read and checked before the file is opened, its column names before any row is read, and its types
    before any row is judged. The same data gives the same count from every format; NaN and NULL are missing values, and
    a comparison with a missing value is not true.

    What the predicate means for one row never depends on another row, since otherwise one changed row could move the
    count by more than 1. Where only the data show the type of a column (a CSV column that is not pinned, a SQLite
    column not declared as a number, text, date or timestamp), the predicate must say whether it means numbers, texts,
    times or truths, and a column that holds something else is an error. A literal says it (5, 'x', DATE '...', TRUE; a
    string is a text and never a date), and so do arithmetic, text functions, LIKE, extract, AND OR NOT, and a column
    whose type is declared; comparing two columns of such types is refused.

    Args:
        source: the path of the file; or a frame, whatever has `__arrow_c_stream__`; or postgresql://host/database,
            counted by PostgreSQL; or spark: and a table or a folder of Parquet files, counted by Spark.
        where: the predicate, as text or read by `parse_predicate`.
        options: how the file is to be read; None stands for the defaults of `ReadOptions`.
        unit: the column that tells whom a row belongs to, to count units with a matching row instead of rows.
        without_unit: how to treat rows whose unit is missing: "error", or "one-unit" for one unit of all such rows.
        rows_per_unit: with a unit, counts matching rows again, at most so many of each unit.

    Raises:
        PredicateRefused: the predicate is not allowed, or does not fit the types of the columns.
        NoSuchColumn: it names a column the source does not have.
        InvalidParameter: an argument is of the wrong type, or an option does not go with this source.
        BadData: the file is missing, damaged, or not as declared; the message names the line where there are lines.
    """
    with OpenTable(source, where, options, unit=Unit.of(unit, without_unit, rows_per_unit)) as table:
        return table.tally()

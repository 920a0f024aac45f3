"""Counting: how many rows of a table satisfy a predicate. The only place of this package where a true count exists."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import wraps
from types import TracebackType
from typing import ParamSpec, TypeVar

from hushcount.arguments import path_text
from hushcount.counting.options import ReadOptions
from hushcount.counting.predicate import Predicate, parse_predicate
from hushcount.errors import BadData, HushcountError, InvalidParameter, NoSuchColumn, PredicateRefused

__all__ = ["OpenTable", "Tally", "count_matching"]

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@dataclass(frozen=True, repr=False)
class Tally:
    """A true count, to be held in memory only; its `repr` shows no number, so that no log or traceback does.

    Attributes:
        rows: the number of rows of the table.
        matching: the number of rows of which the predicate is true; unknown (NULL) is not true.
        predicate: the predicate as normalised SQL.
    """

    rows: int
    matching: int
    predicate: str

    def __repr__(self) -> str:
        return f"Tally(rows=<hidden>, matching=<hidden>, predicate={self.predicate!r})"


def _telling_no_cell(call: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Lets an error go without what it came from (a decoder's error holds a block of the file) and without the frames
    below, which may hold cells."""

    @wraps(call)
    def told(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        try:
            return call(*args, **kwargs)
        except HushcountError as error:
            error.__context__ = error.__cause__ = None
            failure = error.with_traceback(None)
        raise failure

    return told


class OpenTable:
    """A table that was opened for a predicate: what can be checked without a look at any value is checked.

    The predicate is judged before the file is opened, its column names by those of the file, and its types where the
    file declares types (Parquet and DuckDB do). So up to `tally` only what is public has been told: the schema, and
    whether the file can be read (docs/theory.md, "What is not protected"). Used as a context, it closes the file.

    Args:
        source, where, options: as of `count_matching`.

    Raises:
        PredicateRefused, NoSuchColumn, InvalidParameter, BadData: as `count_matching` does.
    """

    @_telling_no_cell
    def __init__(
        self, source: str | os.PathLike[str], where: str | Predicate, options: ReadOptions | None = None
    ) -> None:
        if not isinstance(where, (str, Predicate)):
            raise InvalidParameter("where", where, "an SQL condition as text, or what parse_predicate returns")
        if not isinstance(options, (ReadOptions, type(None))):
            raise InvalidParameter("options", options, "a ReadOptions")
        self._path = path_text(source, "source")
        self._predicate = where if isinstance(where, Predicate) else parse_predicate(where)
        self._rows: int | None = None

        from hushcount.counting._engine import Engine, counting_sql
        from hushcount.counting._sources import open_source

        with ExitStack() as opened:
            self._engine = opened.enter_context(Engine())
            self._source = open_source(self._path, ReadOptions() if options is None else options, self._engine)
            self._check_columns()
            declared = self._source.declared(self._predicate.columns)
            self._sql = None if declared is None else counting_sql(self._predicate.tree, declared)
            self._opened = opened.pop_all()

    def __enter__(self) -> OpenTable:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    @_telling_no_cell
    def count_rows(self) -> int:
        """The number of rows of the table, which no predicate has judged.

        Raises:
            BadData: the file cannot be read to its end; the message names the line where there are lines.
        """
        if self._rows is None:
            self._rows = self._source.count_rows(self._engine, self._predicate.columns)
        return self._rows

    @_telling_no_cell
    def tally(self) -> Tally:
        """Read the columns of the predicate and judge every row; once.

        Raises:
            PredicateRefused: the predicate does not fit the types of the columns, which their values tell.
            BadData: a column is not as declared, or the file was changed since `count_rows`.
        """
        from hushcount.counting._engine import counting_sql, foreign_errors

        types = self._source.load(self._engine, self._predicate.columns)
        sql = self._sql or counting_sql(self._predicate.tree, types)
        with foreign_errors(f"{self._path}: the rows could not be read to the end"):
            rows, matching = self._engine.count(sql)
        if self._rows not in (None, rows):
            raise BadData(f"{self._path} was changed while it was read")
        return Tally(rows, matching, self._predicate.sql)

    def _check_columns(self) -> None:
        columns = self._source.columns
        try:
            self._predicate.check_columns(columns)
        except NoSuchColumn:
            if len(columns) == 1 and set(columns[0]) & set(",;\t|"):
                raise PredicateRefused(
                    f"{self._path} has one column, {columns[0]!r}; is the delimiter right?"
                ) from None
            raise


def count_matching(source: str | os.PathLike[str], where: str | Predicate, options: ReadOptions | None = None) -> Tally:
    """Count the rows of a local CSV (also gzip), Parquet, DuckDB or SQLite file, and those that satisfy a predicate.

    The predicate is read and checked before the file is opened, its column names before any row is read, and its types
    before any row is judged. The same data gives the same count from every format; NaN and NULL are missing values, and
    a comparison with a missing value is not true.

    What the predicate means for one row never depends on another row, for else one changed row could move the count by
    more than 1. Where the data alone tell the type of a column (a CSV column that is not pinned, a SQLite column not
    declared as a number, text, date or timestamp), the predicate must say whether it means numbers, texts, times or
    truths, and a column that holds something else is an error. A literal says it (5, 'x', DATE '...', TRUE; a string
    is a text and never a date), and so do arithmetic, text functions, LIKE, extract, AND OR NOT, and a column whose
    type is declared; comparing two columns of such types is refused.

    Args:
        source: path of the file.
        where: the predicate, as text or read by `parse_predicate`.
        options: how the file is to be read; None stands for the defaults of `ReadOptions`.

    Raises:
        PredicateRefused: the predicate is not allowed, or does not fit the types of the columns.
        NoSuchColumn: it names a column the source does not have.
        InvalidParameter: an argument is of the wrong type, or an option does not go with this source.
        BadData: the file is missing, damaged, or not as declared; the message names the line where there are lines.
    """
    with OpenTable(source, where, options) as table:
        return table.tally()

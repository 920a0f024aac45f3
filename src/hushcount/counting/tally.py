"""Counting: how many rows of a table satisfy a predicate. The only place of this package where a true count exists."""

from __future__ import annotations

import os
from dataclasses import dataclass

from hushcount.arguments import path_text
from hushcount.counting.options import ReadOptions
from hushcount.counting.predicate import Predicate, parse_predicate
from hushcount.errors import HushcountError, InvalidParameter, NoSuchColumn, PredicateRefused

__all__ = ["Tally", "count_matching"]


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
    if not isinstance(where, (str, Predicate)):
        raise InvalidParameter("where", where, "an SQL condition as text, or what parse_predicate returns")
    if not isinstance(options, (ReadOptions, type(None))):
        raise InvalidParameter("options", options, "a ReadOptions")
    path = path_text(source, "source")
    predicate = where if isinstance(where, Predicate) else parse_predicate(where)
    options = ReadOptions() if options is None else options

    try:
        return _counted(path, predicate, options)
    except HushcountError as error:
        # What it came from (a decoder's error holds a block of the file) and the frames below may hold cells.
        error.__context__ = error.__cause__ = None
        failure = error.with_traceback(None)
    raise failure


def _counted(path: str, predicate: Predicate, options: ReadOptions) -> Tally:
    from hushcount.counting._engine import Engine, foreign_errors
    from hushcount.counting._sources import open_source

    with Engine() as engine:
        table = open_source(path, options, engine)
        try:
            predicate.check_columns(table.columns)
        except NoSuchColumn:
            if len(table.columns) == 1 and set(table.columns[0]) & set(",;\t|"):
                raise PredicateRefused(
                    f"{path} has one column, {table.columns[0]!r}; is the delimiter right?"
                ) from None
            raise
        types = table.load(engine, predicate.columns)
        with foreign_errors(f"{path}: the rows could not be read to the end"):
            rows, matching = engine.count(predicate.tree, types)
    return Tally(rows, matching, predicate.sql)

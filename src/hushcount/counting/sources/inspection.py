"""What the owner of a source learns from it about single rows: its schema, and what does not fit it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.declared.place import Place, SourceLike, place_of
from hushcount.counting.declared.schema import Schema
from hushcount.counting.declared.units import Unit
from hushcount.counting.faults import foreign_errors, telling_no_cell
from hushcount.counting.meaning.query import without_unit_sql
from hushcount.counting.predicate.predicate import check_names
from hushcount.counting.sources.formats import engine_for, open_source
from hushcount.errors import BadData, InvalidParameter, type_of

__all__ = ["check_schema", "check_source", "check_units", "load_all", "read_schema"]


@telling_no_cell
def read_schema(source: SourceLike | Place, options: ReadOptions | None = None, unit: Unit | None = None) -> Schema:
    """Read a whole source once, for its owner, and return the type of every column.

    A file or database that declares types is taken at its word. In a CSV or SQLite file a column has the type that all
    of its values show (or `options.types`, or the declaration says), which from now on is a declaration.

    Args:
        source, options: as in `count_matching`.
        unit: whom a row belongs to, where that is a column. In a CSV file it is a text unless its type is pinned.

    Raises:
        NoSuchColumn: there is no such unit.
        InvalidParameter: the unit has an unsuitable type, or an argument breaks its rule.
        BadData: the source cannot be read, a column has no type, or a row misses its unit; the message is for the
            owner's eyes, and names column and line where there are lines.
    """
    if not isinstance(unit, (Unit, type(None))):
        raise InvalidParameter("unit", type_of(unit), "a Unit")
    with _opened(source, options) as (opened, engine, path):
        if unit is not None:
            check_names([unit.column], opened.columns)
            opened.read_as_text(unit.column)
        schema = Schema(opened.format, opened.described(engine))
        if not opened.values_tell:  # else all was read for the types
            load_all(opened, engine, schema, path)
        if unit is not None:
            unit.check_type(schema.types([unit.column])[unit.column])
            check_units(opened, engine, unit, path)
    return schema


@telling_no_cell
def check_source(
    source: SourceLike | Place,
    schema: Schema,
    options: ReadOptions | None = None,
    unit: Unit | None = None,
) -> None:
    """Check that a whole source fits its schema, for its owner.

    Args:
        source, options, unit: as in `read_schema`.
        schema: what the source was found to have then.

    Raises:
        BadData: it does not; the message is for the owner's eyes, and names column and line, if there are lines.
    """
    with _opened(source, options, schema) as (opened, engine, path):
        check_schema(opened, engine, schema, path)
        load_all(opened, engine, schema, path)
        if unit is not None:
            check_units(opened, engine, unit, path)


@contextmanager
def _opened(
    source: SourceLike | Place, options: ReadOptions | None, schema: Schema | None = None
) -> Iterator[tuple[Any, Any, str]]:
    """Open a source and its engine, and give both with the name for errors; types are pinned unless there is a
    schema."""
    if not isinstance(options, (ReadOptions, type(None))):
        raise InvalidParameter("options", options, "a ReadOptions")
    place, options = place_of(source), options or ReadOptions()
    options = options if schema is None else replace(options, types={})
    with engine_for(place) as engine:
        yield open_source(place, options, engine), engine, place.shown


def check_schema(source: Any, engine: Any, schema: Schema, path: str) -> None:
    """Check that an open source has the columns of a schema, and read it from now on as the schema says.

    Raises:
        BadData: it has others.
    """
    if source.format != schema.format:
        raise BadData(f"{path} is of another format than was listed: {source.format}, not {schema.format}")
    if source.columns != schema.names:
        raise BadData(f"{path} has other columns than were listed")
    if source.values_tell:
        source.listed = schema.usable
        return
    for found, listed in zip(source.described(engine), schema.columns, strict=True):
        if not found.fits(listed):
            raise BadData(f"{path}: column {found.name!r} is {found.word}, and was listed as {listed.word}")


def load_all(source: Any, engine: Any, schema: Schema, path: str) -> None:
    """Read every column that a question can use, to its end.

    Raises:
        BadData: a value does not fit the type of its column, or cannot be read.
    """
    names = tuple(schema.usable)
    source.load(engine, names)
    if source.values_tell:  # then that was all of it
        return
    for name in names:
        with foreign_errors(f"{path}: column {name!r} could not be read to the end"):
            engine.read(name)


def check_units(source: Any, engine: Any, unit: Unit, path: str) -> None:
    """Check that no row misses its unit, where that is an error.

    Raises:
        BadData: one does.
    """
    if unit.without != "error":
        return
    source.load(engine, (unit.column,))
    with foreign_errors(f"{path}: the rows could not be read to the end"):
        ((missing,),) = engine.rows(without_unit_sql(unit.column, engine.conditions))
    if missing:
        line = source.line_without(unit.column)
        at = "some row" if line is None else f"line {line}"
        raise BadData(
            f"{path}: {at} has nothing in column {unit.column!r}, and so no unit; all such rows can be declared to be "
            "one unit (--without-unit one-unit)"
        )

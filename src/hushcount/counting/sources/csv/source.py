"""CSV files: the structure from the strict pass, the needed columns through Arrow, and both must agree.

DuckDB's own reader, even at its strictest (`strict_mode`, no `null_padding`, columns given as texts), is not strict
enough. In a file of two columns it skips the blank line in `1,2`, ``, `3,4`, takes `1,2,` for two fields, and reads `1,
"2"` without the blank before the quote. Rows would be left out and keys changed silently (DuckDB 2.0.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from io import RawIOBase
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hushcount.counting.declared.options import MISSING, ReadOptions
from hushcount.counting.declared.schema import SchemaColumn
from hushcount.counting.engines.duckdb import DuckdbEngine
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.sources.csv.structure import CsvFile, Structure
from hushcount.counting.sources.csv.types import first_misfit, infer, odd_texts, pinned, read_as, rounds_integers
from hushcount.counting.sources.source import Source, check_types
from hushcount.errors import BadData
from hushcount.files.arrow_arrays import arrow_array, arrow_scalar
from hushcount.words.shell import as_option

__all__ = ["CsvSource"]

_BLOCK_BYTES = 1 << 22


class CsvSource(Source):
    """A CSV file under declared options; or several with the same header, which all tell the types.

    Args:
        shown: what errors call it.
        files: their paths, each with what errors call it.
        options: how they are read.
    """

    format = "csv"

    def __init__(self, shown: str, files: Sequence[tuple[str, str]], options: ReadOptions) -> None:
        self._path = shown
        self._options = options
        self._files = [CsvFile(path, name, options) for path, name in files]
        self._structures: dict[tuple[int, ...], list[Structure]] = {}
        self.columns, *others = (file.header() for file in self._files)
        if any(other != self.columns for other in others):
            raise BadData(f"{shown}: not all of its files have the same columns, in the same order")
        check_types(options, self.columns)

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        return {name: t.PINNED[kind] for name, kind in self._options.types.items() if name in names}

    def described(self, engine: DuckdbEngine) -> tuple[SchemaColumn, ...]:
        with self._agreeing():
            return tuple(self._described(name, *typed) for name, typed in self._columns(self.columns).items())

    def count_rows(self, engine: DuckdbEngine, names: Sequence[str]) -> int:
        return sum(structure.records for structure in self._structure(self._places(names)))

    def load(self, engine: DuckdbEngine, names: Sequence[str]) -> Mapping[str, ColumnType]:
        with self._agreeing():
            if not names:
                engine.arrow(pa.table({"one": self._read(self._places(names)).column(0).is_null()}))
                return {}
            typed = self._columns(names)
            engine.arrow(pa.table([column for column, _ in typed.values()], names=list(typed)))
        return {name: kind for name, (_, kind) in typed.items()}

    def line_without(self, name: str) -> int | None:
        places = self._places([name])
        column = self._read(places).column(0)
        at = pc.index(column.is_null(), arrow_scalar(True, pa.bool_())).as_py()
        return None if at < 0 or len(self._files) > 1 else self._files[0].line_of(at)

    def read_as_text(self, name: str) -> None:
        if name not in self._options.types:
            self._options = replace(self._options, types={**self._options.types, name: "text"})

    def _agreeing(self) -> AbstractContextManager[None]:
        return foreign_errors(f"{self._path}: the two CSV readers disagree on this file")

    def _columns(self, names: Sequence[str]) -> dict[str, tuple[Any, ColumnType]]:
        """Return columns with their types."""
        table = self._read(self._places(names))
        return {name: self._typed(name, table.column(at)) for at, name in enumerate(names)}

    def _described(self, name: str, column: pa.ChunkedArray, told: ColumnType) -> SchemaColumn:
        odd = odd_texts(column, self._options) if told.kind is Kind.TEXT and told.open else None
        if odd is None:
            return SchemaColumn(name, t.WHOLE if told.kind is Kind.INTEGER else told)
        file, line = self._place_of(odd[1], self._structure(self._places(self.columns)))
        values = f"{odd[0]:,} of its values {'is no number' if odd[0] == 1 else 'are no numbers'}"
        note = (
            f"Column {name!r} is a text, since {values} as hushcount reads them, the first on line {line} of {file}. A "
            "text that stands for a missing value can be declared (--null NA)."
        )
        return SchemaColumn(name, told, note=note)

    def _structure(self, places: Sequence[int]) -> list[Structure]:
        """Return what the strict pass over these columns finds in each file; a second load of them does without it."""
        key = tuple(places)
        if key not in self._structures:
            missing = {self._options.null, *MISSING}
            self._structures[key] = [file.structure(places, missing) for file in self._files]
        return self._structures[key]

    def _places(self, names: Sequence[str]) -> list[int]:
        return [self.columns.index(name) for name in names or self.columns[:1]]

    def _read(self, places: Sequence[int]) -> pa.Table:
        """Return columns of all files, of which both readers see the same."""
        tables = []
        for file, structure in zip(self._files, self._structure(places), strict=True):
            tables.append(self._read_file(file, places, structure))
            self._check_agreement(tables[-1], structure)
        return pa.concat_tables(tables)

    def _read_file(self, file: CsvFile, places: Sequence[int], structure: Structure) -> pa.Table:
        # Positions as names: what the header says can then never meet a rule of the second reader
        names = [str(place) for place in range(len(self.columns) + int(self._options.trailing_delimiter))]
        needed = [names[place] for place in places]
        if structure.records == 0:
            return pa.table([pa.nulls(0, pa.string()) for _ in needed], names=needed)
        with file.text() as text:
            return csv.read_csv(
                _Utf8Bytes(text),
                read_options=csv.ReadOptions(
                    column_names=names,
                    skip_rows_after_names=int(self._options.header),
                    block_size=max(_BLOCK_BYTES, 8 * structure.longest + 1024),  # a record must fit into a block
                ),
                parse_options=csv.ParseOptions(
                    delimiter=self._options.delimiter,
                    quote_char='"',
                    double_quote=True,
                    escape_char=False,
                    newlines_in_values=True,
                    ignore_empty_lines=len(names) > 1,
                ),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(needed, pa.string()),
                    include_columns=needed,
                    null_values=[self._options.null, *MISSING],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )

    def _check_agreement(self, table: pa.Table, structure: Structure) -> None:
        missing = arrow_array([self._options.null, *MISSING], pa.string())
        values = (column.filter(pc.invert(pc.is_in(column, value_set=missing))) for column in table.columns)
        lengths = tuple(pc.sum(pc.utf8_length(column), min_count=0).as_py() for column in values)
        if table.num_rows != structure.records or lengths != structure.characters:
            raise BadData(f"{self._path}: the two CSV readers disagree on this file")

    def _typed(self, name: str, column: pa.ChunkedArray) -> tuple[Any, ColumnType]:
        reader: Callable[[pa.ChunkedArray], tuple[Any, ColumnType] | None]
        if name in self.listed:
            word, reader = self.listed[name].word, partial(read_as, kind=self.listed[name], options=self._options)
        elif name in self._options.types:
            word = self._options.types[name]
            reader = partial(pinned, kind=word, options=self._options)
        else:
            return self._inferred(name, column)
        typed = reader(column)
        if typed is None:
            raise self._misfit(name, first_misfit(column, reader), word)
        return typed

    def _inferred(self, name: str, column: pa.ChunkedArray) -> tuple[Any, ColumnType]:
        inferred, told = infer(column, self._options)
        if told.kind is Kind.DOUBLE and rounds_integers(column, inferred):
            raise BadData(
                f"{self._path}: column {name!r} mixes fractions with an integer beyond 2**53, which would be "
                f"rounded; pin its type, for example {as_option('type', f'{name}=number')}"
            )
        return inferred, told

    def _misfit(self, name: str, at: int, word: str) -> BadData:
        file, line = self._place_of(at, self._structure(self._places([name])))
        if word == t.UNKNOWN.word:
            return BadData(f"{file}: line {line} holds a value in column {name!r}, which was declared empty")
        what = f"{'an' if word == 'integer' else 'a'} {word}"
        # The same whatever is there
        is_number = word in ("integer", "number") and name not in self.listed
        hint = ""
        if is_number and word == "integer":
            pin = as_option("type", f"{name}=number")
            hint = f"; where some have a point, as in 61.0, the type is {pin}, and bands are half-open, [0, 18)"
        if is_number and not self._options.null:
            hint += "; a text such as NA where a number is missing is declared: --null NA"
        return BadData(f"{file}: line {line} does not hold {what} in column {name!r}, as was declared{hint}")

    def _place_of(self, at: int, structures: Sequence[Structure]) -> tuple[str, int]:
        """Return the file that holds a record of all of them, and the line on which it starts."""
        of = 0
        while at >= structures[of].records:
            at, of = at - structures[of].records, of + 1
        return self._files[of].shown, self._files[of].line_of(at)


class _Utf8Bytes(RawIOBase):
    """A text as a file of UTF-8 bytes, from which Arrow reads; closing it leaves the text to its owner."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self._at_start = True

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return at most `size` bytes; none at the end."""
        characters = self._text.read(max(1, size // 4))
        if self._at_start:
            self._at_start = False
            characters = characters.removeprefix("\ufeff") or self._text.read(max(1, size // 4))
        return characters.encode()

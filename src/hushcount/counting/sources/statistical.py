"""Files of Stata, SPSS and SAS: their columns have declared types, and what is declared missing is missing.

Missing are the system's missing value, those of users (`.a` to `.z` in Stata and SAS, declared values and ranges in
SPSS) and, in Stata and SAS, the empty text, as those programs say; in SPSS a text of blanks is a text. Trailing blanks,
which pad the texts of SPSS and SAS, are no part of them. Numbers are doubles (in Stata as declared, also integers). A
display format makes them dates or moments, and nothing else; columns of durations or of weeks, months and quarters are
refused. A column pinned as a label has the texts of its value labels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import copysign, inf
from typing import Any

import numpy as np
import pyarrow as pa

from hushcount.counting.declared.options import ReadOptions
from hushcount.counting.faults import foreign_errors
from hushcount.counting.meaning import types as t
from hushcount.counting.meaning.types import ColumnType, Kind
from hushcount.counting.sources.held import HeldSource, Typed, Values, whole
from hushcount.errors import BadData, BadUse, InvalidParameter, PredicateRefused
from hushcount.files.arrow_arrays import arrow_array

__all__ = ["StatisticalSource"]

_READERS = {"stata": "read_dta", "spss": "read_sav", "sas": "read_sas7bdat", "xport": "read_xport"}
_FROM_1960 = -3653
_FROM_1582 = -141_428
"""The first day of Stata and SAS, and that of SPSS, counted from 1970."""

_SPSS_DATES = {"DATE", "ADATE", "EDATE", "JDATE", "SDATE"}
_SPSS_MOMENTS = {"DATETIME", "YMDHMS"}
_SPSS_OTHERS = {"TIME", "DTIME", "MTIME", "MOYR", "QYR", "WKYR"}
_SAS_DATES = re.compile(
    "DATE|DAY|(DDMM|MMDD|YYMM|MMYY|YYMMDD|DDMMYY|MMDDYY)(YY|DD)?[BCDNPS]?|DOWNAME|JULDAY|JULIAN|MINGUO|MONNAME|MONTH"
    "|MONYY|NENGO|PDJUL[GI]|QTRR?|WEEKDAT[EX]|WEEKDAY|WEEK[UVW]|WORDDAT[EX]|YEAR|YYMON|YYQR?[CDNPSZ]?|YYWEEK.*"
    "|([BEN]|IS|ND)8601DA|NLDATE.*|EURDF(DD|DE|DN|DWN|MN|MY|WDX|WKX)"
)
_SAS_MOMENTS = re.compile(
    "DATETIME|DATEAMPM|DT(DATE|MONYY|WKDATX|YEAR|YYQC)|([BE]|IS|ND)8601(DT|DZ|DX|DN|LX)|NLDATM.*|MDYAMPM|EURDFDT"
)
_SAS_OTHERS = re.compile("TIME|TIMEAMPM|TOD|HHMM|HOUR|MMSS|([BE]|IS|ND)8601(T.|LZ)|NLTIM.*")
_WIDTH = re.compile(r"[0-9]*(\.[0-9]*)?\Z")
_LONGEST = 10**7
"""Days that a date can be from the first: 27,000 years."""

_SPSS_END = 1.797e308
"""LOWEST and HIGHEST are about as large, and stand for no end."""

_MICROSECONDS = 86_400 * 10**6


class StatisticalSource(HeldSource):
    """The table of a file of Stata, SPSS or SAS.

    Args:
        path: the file.
        shown: what errors call it.
        format: stata, spss, sas or xport.
        options: how it is read: `types` pins whole numbers as integers, and columns with value labels as labels.

    Raises:
        BadUse: the package that reads these files is not installed.
        BadData: the file cannot be read.
        InvalidParameter: a label is pinned of a column that has none.
    """

    def __init__(self, path: str, shown: str, format: str, options: ReadOptions) -> None:
        self.format = format
        try:
            import pyreadstat
        except ImportError:
            raise BadUse("this file needs the package pyreadstat: pip install 'hushcount[files]'") from None
        self._reader: Any = getattr(pyreadstat, _READERS[format])
        self._file, self._path = path, shown
        told = {"user_missing": True} if format == "spss" else {}  # else it does not tell what is declared missing
        _, about = self._held(metadataonly=True, **told)
        names = [str(name) for name in about.column_names]
        if not names:
            raise BadData(f"{shown} holds no column")
        self._formats = {name: str(about.original_variable_types[name] or "") for name in names}
        self._stored = {name: str(about.readstat_variable_types[name]) for name in names}
        self._labels: dict[str, dict[Any, str]] = {
            name: about.variable_value_labels[name]
            for name in names
            if about.variable_value_labels.get(name) and self._stored[name] != "string"
        }
        self._missing = {name: tuple(map(_ends, about.missing_ranges.get(name, ()))) for name in names}
        super().__init__(shown, options, names, len(self._held(usecols=names[:1])[0][names[0]]))
        for name, kind in options.types.items():
            if kind == "label" and name not in self._labels:
                raise InvalidParameter("types", f"{name}=label", "a column of numbers that have value labels")

    def declared(self, names: Sequence[str]) -> Mapping[str, ColumnType]:
        found = {}
        for name in names:
            kind = self._kind(name)
            if isinstance(kind, str):
                raise PredicateRefused(f"column {name!r} of {self._path} {kind}, which no predicate can use")
            found[name] = kind
        return found

    def values(self, names: Sequence[str]) -> Mapping[str, Values | str]:
        told = {name: self._told(name) for name in names}
        needed = [name for name, kind in told.items() if isinstance(kind, ColumnType)]
        found, about = self._held(usecols=needed or list(self.columns[:1]))
        stored = {name: about.readstat_variable_types.get(name) for name in needed}
        if any(stored[name] != self._stored[name] or len(found[name]) != self._rows for name in needed):
            raise BadData(f"{self._path} was changed while it was read")
        return {
            name: kind if isinstance(kind, str) else self._column(name, found[name], kind)
            for name, kind in told.items()
        }

    def typed(self, name: str, values: Values) -> Typed:
        column, storage = values
        kind = self._kind(name)
        assert isinstance(kind, ColumnType)
        if storage == "real" and kind.kind is Kind.INTEGER:
            numbers = whole(column)
            values = values if numbers is None else (numbers, "integer")
        if name in self.listed or (name in self._options.types and self._options.types[name] != "label"):
            held, kind = super().typed(name, values)
            return held, kind if name in self.listed else self._declaring(name, kind)
        return column, kind

    def _kind(self, name: str) -> ColumnType | str:
        """Return the type that a column is read in, or why it has none."""
        if name in self.listed:
            return self.listed[name]
        pinned = self._options.types.get(name)
        if pinned == "label":
            labels = tuple(dict.fromkeys(self._labels[name].values()))
            held = {label for code, label in self._labels[name].items() if not self._is_missing(name, code)}
            return replace(t.TEXT, labels=labels, missing=tuple((text, text) for text in labels if text not in held))
        told = self._told(name)
        return told if isinstance(told, str) else self._declaring(name, told if pinned is None else t.PINNED[pinned])

    def _declaring(self, name: str, kind: ColumnType) -> ColumnType:
        """Return the type with what is declared missing. A date may be that of other numbers, too."""
        is_told = kind.numeric or (kind.kind is Kind.TEXT and self._stored[name] == "string")
        return replace(kind, missing=self._missing[name]) if is_told else kind

    def _is_missing(self, name: str, code: Any) -> bool:
        """Return whether a code that has a label is declared missing; in Stata and SAS those are letters."""
        if isinstance(code, str):
            return True
        return any(float(first) <= code <= float(last) for first, last in self._missing[name])

    def _told(self, name: str) -> ColumnType | str:
        """Return the type that the file declares, or why no predicate can use the column."""
        stored, format = self._stored[name], self._formats[name]
        if stored == "string":
            return t.TEXT
        told = _told_by_format(self.format, format)
        if told is None:
            kind = t.SINGLE if stored == "float" else t.DOUBLE if stored == "double" else t.INTEGER
            return replace(kind, labelled=name in self._labels)
        return f"has the format {format}" if told == "other" else t.DATE if told == "date" else t.TIMESTAMP

    def _column(self, name: str, values: list[Any], kind: ColumnType) -> Values:
        listed = self.listed.get(name)
        if self._options.types.get(name) == "label" or (listed is not None and listed.labels is not None):
            return self._labelled(name, values), "text"
        if kind.kind is Kind.TEXT:
            texts = values if self.format == "spss" else [text or None for text in values]
            return pa.chunked_array([arrow_array(texts, pa.string())]), "text"
        if kind.kind is Kind.INTEGER:
            return pa.chunked_array([arrow_array(values, pa.int64())]), "integer"
        if kind.kind is Kind.DOUBLE:
            numbers = [None if value is None else float(value) for value in values]
            return pa.chunked_array([arrow_array(numbers, pa.float64())]), "real"
        return pa.chunked_array([self._moments(name, values, kind)]), kind.kind.value

    def _labelled(self, name: str, values: list[Any]) -> Any:
        labels = self._labels.get(name, {})
        listed = self.listed.get(name)
        if listed is not None and set(listed.labels or ()) != set(labels.values()):
            raise BadData(f"{self._path}: column {name!r} has other value labels than were listed")
        if any(value is not None and value not in labels for value in values):
            raise BadData(f"{self._path}: column {name!r} holds a value that has no label, as was declared")
        texts = [None if value is None else labels[value] for value in values]
        return pa.chunked_array([arrow_array(texts, pa.string())])

    def _moments(self, name: str, values: list[Any], kind: ColumnType) -> Any:
        """Return days (rounded down) or moments, of which doubles since 1582 tell ten microseconds."""
        held = np.array([value is not None for value in values], bool)
        found = np.array([0 if value is None else value for value in values], np.float64)
        is_date, is_spss = kind.kind is Kind.DATE, self.format == "spss"
        in_a_day = 1 if is_date and not is_spss else 86_400_000 if self.format == "stata" else 86_400
        if not np.all(np.abs(found / in_a_day) < _LONGEST):
            raise BadData(f"{self._path}: column {name!r} holds a number that is no date")
        first = _FROM_1582 if is_spss else _FROM_1960
        if is_date:
            return _array((np.floor(found / in_a_day) + first).astype(np.int32), pa.int32(), held).view(pa.date32())
        in_a_step = 10 if is_spss else 1
        steps = np.rint(found * (_MICROSECONDS // in_a_day // in_a_step)).astype(np.int64) * in_a_step
        return _array(steps + first * _MICROSECONDS, pa.int64(), held).view(pa.timestamp("us"))

    def _held(self, **what: Any) -> tuple[Any, Any]:
        with foreign_errors(f"{self._path} cannot be read: it is damaged, or of a version that is not known"):
            found: tuple[Any, Any] = self._reader(
                self._file, output_format="dict", disable_datetime_conversion=True, **what
            )
        return found


def _ends(declared: Mapping[str, Any]) -> tuple[str, str]:
    """Return the ends of a range that is declared missing, as texts: of one code, the same."""
    return _end(declared["lo"]), _end(declared["hi"])


def _end(value: Any) -> str:
    if isinstance(value, str):
        return value.rstrip(" ")
    is_end = abs(value) >= _SPSS_END
    return repr(copysign(inf, value) if is_end else float(value)).removesuffix(".0")


def _array(values: Any, kind: Any, held: Any) -> Any:
    validity = pa.py_buffer(np.packbits(held, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [validity, pa.py_buffer(values)])


def _told_by_format(file: str, format: str) -> str | None:
    """Return what the display format of a number makes of it: date, timestamp, other, or None for a number."""
    if file == "stata":
        found = re.match("%-?(t[^y]|d)", format)
        return None if found is None else {"td": "date", "d": "date", "tc": "timestamp"}.get(found[1], "other")
    word = _WIDTH.sub("", format.upper())
    if file == "spss":
        known = ((_SPSS_DATES, "date"), (_SPSS_MOMENTS, "timestamp"), (_SPSS_OTHERS, "other"))
        return next((told for words, told in known if word in words), None)
    patterns = ((_SAS_DATES, "date"), (_SAS_MOMENTS, "timestamp"), (_SAS_OTHERS, "other"))
    return next((told for pattern, told in patterns if pattern.fullmatch(word)), None)

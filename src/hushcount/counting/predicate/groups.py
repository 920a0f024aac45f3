"""What tells the cell of a row: a column, or what is computed from one column of the row alone.

| group | the key of a row |
|---|---|
| `region` | the value of the column |
| `year(date)`, `quarter(date)`, `month(date)`, `day(date)` | that part of it |
| `age: 0-17, 18-64, 65+` | the band it lies in; one more, `missing`, is that of missing values |
| `age by 10 from 0 to 100` | the band [0, 10), [10, 20), ... it lies in |
| `region from regions.csv` | the text that a file gives for it |

A name with anything unusual in it is in double quotes, as in a condition; in quotes it is always a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from hushcount.counting.predicate.bands import BAND, MISSING_BAND, NUMBER, Band, bands_of, equal_bands, gaps
from hushcount.counting.predicate.mistaken_groups import mistaken_for_column
from hushcount.counting.predicate.nodes import PARTS
from hushcount.counting.predicate.quoting import is_plain_name, quoted_name
from hushcount.errors import InvalidParameter
from hushcount.numbers.exact import exact_text

__all__ = ["Banded", "FromFile", "Group", "Part", "Steps", "by_words", "group_name", "parse_group", "parse_groups"]

_NAME = r"\"(?:[^\"]|\"\")+\"|[^\",]+?"
_ITEM = re.compile(
    rf"""\s*(?:
        (?P<part>{"|".join(PARTS)})\s*\(\s*(?P<of>{_NAME})\s*\)
        | (?P<banded>{_NAME})\s*:\s*(?P<bands>{BAND}(?:\s*,\s*{BAND})*)
        | (?P<stepped>{_NAME})\s+by\s+(?P<width>{NUMBER})\s+from\s+(?P<low>{NUMBER})\s+to\s+(?P<high>{NUMBER})
            (?P<missing>\s*,\s*{MISSING_BAND}\b)?
        | (?P<mapped>{_NAME})\s+from\s+(?P<file>[^,]+?\.(?:csv|parquet))
        | (?P<plain>{_NAME})
    )\s*(?:,|\Z)""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_BAND = re.compile(BAND)
_MAPPED = re.compile(r".* from a file \((.+), sha256 [0-9a-f]{64}\)", re.DOTALL)
"""How what a file gives is spelled once it is read; see `cells.group_files`."""
_PARTS = {"quarter": 4, "month": 12, "day": 31}


@dataclass(frozen=True)
class Group:
    """A column of the source, which tells the cell of a row by its value.

    Attributes:
        column: its name.
    """

    column: str

    @property
    def name(self) -> str:
        """What its keys are called, in files of keys and of counts."""
        return self.column

    @property
    def text(self) -> str:
        """The one spelling of what it is; groups of the same spelling are the same."""
        return quoted_name(self.column) if _looks_computed(self.column) else self.column

    @property
    def labels(self) -> tuple[str | None, ...] | None:
        """All keys there can be, where it says so itself; None is that of missing values."""
        return None

    @property
    def _quoted(self) -> str:
        return self.column if is_plain_name(self.column) else quoted_name(self.column)


@dataclass(frozen=True)
class Part(Group):
    """The year, quarter, month or day of a date or timestamp, in UTC.

    Attributes:
        part: which of them.
    """

    part: str

    @property
    def name(self) -> str:
        return f"{self.part}({self._quoted})"

    @property
    def text(self) -> str:
        return self.name

    @property
    def labels(self) -> tuple[str, ...] | None:
        return tuple(map(str, range(1, _PARTS[self.part] + 1))) if self.part in _PARTS else None


@dataclass(frozen=True)
class Banded(Group):
    """Bands of a number.

    Attributes:
        bands: in the order of their cells.
        missing: whether missing values have a cell, the last.
    """

    bands: tuple[Band, ...] = field(repr=False)
    missing: bool = False

    @property
    def text(self) -> str:
        listed = [band.label for band in self.bands] + [MISSING_BAND] * self.missing
        return f"{self._quoted}: {', '.join(listed)}"

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        return (*(band.label for band in self.bands), *([None] * self.missing))

    @property
    def gaps(self) -> tuple[str, ...]:
        """What lies between the bands."""
        return gaps(self.bands)


@dataclass(frozen=True)
class Steps(Banded):
    """Bands of one width, one after the other.

    Attributes:
        low, width: where the first begins, and how wide each is.
    """

    low: Fraction = Fraction(0)
    width: Fraction = Fraction(1)

    @property
    def text(self) -> str:
        high = self.low + self.width * len(self.bands)
        steps = f"by {exact_text(self.width)} from {exact_text(self.low)} to {exact_text(high)}"
        return f"{self._quoted} {steps}{f', {MISSING_BAND}' * self.missing}"


@dataclass(frozen=True)
class FromFile(Group):
    """The text that a file gives for a value; `cells.group_files` reads it.

    Attributes:
        path: the file.
    """

    path: str

    @property
    def text(self) -> str:
        return f"{self._quoted} from {self.path}"


def parse_group(text: str) -> Group:
    """Return the group that a text is; a text that is no other is the name of a column, letter by letter.

    Raises:
        InvalidParameter: bands that overlap, are empty, or are none; a computed group of a column without a name; it is
            nearly a computed group; or it is several.
    """
    found = _ITEM.fullmatch(text)
    if found is None or text.rstrip().endswith(","):
        if parse_groups(text) is not None:
            raise InvalidParameter("by", text, "a list of groups, each of them a text, if there are several")
        return Group(text)
    if found["plain"]:
        _check_column(text)
        inner = _unquoted(text)
        return Group(inner if inner != text and _looks_computed(inner) else text)
    return _group(found)


def parse_groups(text: str) -> list[Group] | None:
    """Return the groups that a line lists, with commas between them; None if none of them is computed.

    Raises:
        InvalidParameter: as for `parse_group`; or a column follows bands that looks like one.
    """
    groups: list[Group] = []
    at = 0
    while at < len(text):
        found = _ITEM.match(text, at)
        if found is None:
            _check_column(text[at:])
            return None
        if found["plain"]:
            _check_column(found["plain"], follows_bands=bool(groups) and isinstance(groups[-1], Banded))
        groups.append(_group(found))
        at = found.end()
    return None if all(type(group) is Group for group in groups) or text.rstrip().endswith(",") else groups


def group_name(text: str) -> str:
    """Return the name of the group that `Group.text` spelled."""
    mapped = _MAPPED.fullmatch(text)
    if mapped is not None:
        return mapped[1]
    found = _ITEM.fullmatch(text)
    if found is None or found["plain"]:
        return parse_group(text).name
    name = _unquoted(found["of"] or found["banded"] or found["stepped"] or found["mapped"])
    return Part(name, found["part"].lower()).name if found["part"] else name


def by_words(texts: Iterable[str]) -> str:
    """Return what the groups that `Group.text` spelled are, in words: "by age (0-17, 18+) and by region"."""
    *before, last = map(_in_words, texts)
    return f"by {', by '.join(before)} and by {last}" if before else f"by {last}"


def _in_words(text: str) -> str:
    found = _ITEM.fullmatch(text)
    if found is None:
        return text
    if found["banded"]:
        return f"{_unquoted(found['banded'])} ({found['bands']})"
    return f"{found['stepped']} ({text[found.end('stepped') :].strip()})" if found["stepped"] else text


def _check_column(text: str, *, follows_bands: bool = False) -> None:
    rule = mistaken_for_column(text, follows_bands=follows_bands)
    if rule is not None:
        raise InvalidParameter("by", text, rule)


def _looks_computed(text: str) -> bool:
    """Return whether a text, or what it has in quotes, is not taken for the name of a column."""
    found = _ITEM.fullmatch(text)
    if _MAPPED.fullmatch(text) is not None or (found is not None and not found["plain"]):
        return True
    try:
        return parse_group(text) != Group(text)
    except InvalidParameter:
        return True


def _group(found: re.Match[str]) -> Group:
    if found["part"]:
        return Part(_named(found["of"]), found["part"].lower())
    if found["banded"]:
        column = _named(found["banded"])
        texts = [band.strip() for band in _BAND.findall(found["bands"])]
        if MISSING_BAND in texts[:-1] or texts == [MISSING_BAND]:
            raise InvalidParameter("by", None, f"bands of {column!r} of which the last alone may be {MISSING_BAND!r}")
        missing = texts[-1] == MISSING_BAND
        return Banded(column, bands_of(column, texts[:-1] if missing else texts), missing)
    if found["stepped"]:
        low, high, width = (Fraction(found[name]) for name in ("low", "high", "width"))
        bands = equal_bands(low, high, width)
        return Steps(_named(found["stepped"]), bands, found["missing"] is not None, low, width)
    if found["mapped"]:
        return FromFile(_named(found["mapped"]), found["file"].strip())
    return Group(_named(found["plain"]))


def _named(name: str) -> str:
    """Return the name of the column of a group.

    Raises:
        InvalidParameter: it is empty.
    """
    found = _unquoted(name)
    if not found:
        raise InvalidParameter("by", None, "groups of columns that each have a name, such as age: 0-17, 18+")
    return found


def _unquoted(name: str) -> str:
    name = name.strip()
    return name[1:-1].replace('""', '"') if len(name) > 2 and name[0] == name[-1] == '"' else name

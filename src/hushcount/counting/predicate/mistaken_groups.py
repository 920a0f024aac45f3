"""Texts of `--by` that are nearly bands, parts of dates or groups of values, and hardly meant as names of columns."""

from __future__ import annotations

import re

from hushcount.counting.predicate.bands import BAND, MISSING_BAND, NUMBER
from hushcount.counting.predicate.nodes import PARTS

__all__ = ["mistaken_for_column"]

_NAME = r"\s*(?:\"[^\"]+\"|[^\",]+?)"
_DASH = r"[\u2010-\u2015\u2212]"
_ALMOST_BAND = (
    rf"{NUMBER}\s*(?:{_DASH}|~|\.\.+|\u2026)\s*{NUMBER}|[\[(]\s*[+-]?[0-9]|(?:[<>]=?|[\u2264\u2265])\s*{NUMBER}"
    rf"|{NUMBER}\s+(?:and|or)\s+\w+|(?:under|over|below|above|up\s+to|at\s+least|at\s+most)\s+{NUMBER}|{BAND}"
)
_FUNCTIONS = (
    "(?:iso)?week|weekday|day_?of_?(?:week|year)|dow|hour|minute|second|decade|century|date(?:_trunc|_part)?|extract"
    "|floor|ceil|round|cut|trunc|lower|upper|trim|length|left|substr(?:ing)?|coalesce"
)
_UP_TO = rf"(?:\s+to\s+{NUMBER}.*)?"
_FILES = r"csv\.gz|tsv|txt|xlsx?|jsonl?|feather|arrow|dta|sav|sas7bdat"
_RULES = {
    rf"(?:{_NAME})?\s*:\s*(?:{_ALMOST_BAND})\s*(?:[,;|\])]|\Z|\s[0-9<>\[(])": (
        f"bands such as 0-17, 18-64, 65+, or [0, 18) of numbers that are not whole; {MISSING_BAND!r} is the last if "
        "missing values have one"
    ),
    rf"{_NAME}\s+by\s+{NUMBER}(?:\s+from\s+{NUMBER}{_UP_TO})?\s*\Z": "steps such as age by 10 from 0 to 100",
    rf"{_NAME}\s+from\s+[^,]+\.(?:{_FILES})\s*\Z": (
        "groups of values such as region from regions.csv, in a file that ends in .csv or .parquet"
    ),
    rf"\s*(?:{_FUNCTIONS})\s*\(.*\)\s*\Z": (
        f"a part of a date, {', '.join(f'{part}(...)' for part in PARTS)}, bands of a number, or groups from a file"
    ),
}
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), rule) for pattern, rule in _RULES.items()]
_AS_BANDS = next(iter(_RULES.values()))
_NO_COLUMNS = frozenset(
    ["na", "nan", "n/a", "none", "null", "not stated", "unstated", "unknown", "not known", "no answer", "missing"]
)
"""Words, in small letters, that stand after bands for missing values."""


def mistaken_for_column(text: str, *, follows_bands: bool = False) -> str | None:
    """Return the rule that a text breaks that is read as the name of a column, and was hardly meant as one; None for
    any other.

    Args:
        follows_bands: whether bands stand before it, of which it may be meant as one more.
    """
    rule = next((rule for pattern, rule in _PATTERNS if pattern.match(text)), None)
    if follows_bands and (re.match(r"[^\w\"']|[0-9]", text) or text.strip().lower() in _NO_COLUMNS):
        rule = _AS_BANDS
    if rule is None:
        return None
    typed = "; between its ends a band has a plain hyphen, -" if re.search(_DASH, text) else ""
    return f"{rule}{typed}; or the name of a column, in double quotes"

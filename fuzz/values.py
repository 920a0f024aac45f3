"""Values to try: good ones mostly, so that inputs get far, and those that have broken programs before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

__all__ = [
    "Case",
    "among",
    "chance",
    "count",
    "delta",
    "epsilon",
    "level",
    "mutated",
    "nasty_text",
    "number",
    "options",
    "size",
    "values",
]


@dataclass(frozen=True)
class Case:
    """A command line, and the files in the folder where it runs."""

    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)


Text = Callable[[Random], str]

_NUMBERS = (
    *("0", "1", "0.5", "1e-6", "1/3", "2", "0.1", "1e-300", "5e-324", "1e-2000", "1e300", "1e9", "1e10", "1e2000"),
    *("1e2001", "-1", "-0", "+1", " 0.5 ", "nan", "inf", "-inf", "", " ", "1/0", "0/1", "1_0", "0x1", "\uff11", "1e"),
    *(".5", "5.", ".", "1e99999999999", "9" * 400, "9" * 5000, "1" + "0" * 1300, "0." + "0" * 400 + "1"),
    *("1/" + "3" * 1300, "\u0661", "1,2", "\x1c1", "0.9999999999999999", "1.0000000000000002"),
    *("0.99999999999999999999999", "4503599627370497/4503599627370496"),
)
_COUNTS = (
    *("0", "1", "2", "3", "4095", "4096", "256", "257", "1000000", str(2**31), str(2**53), str(2**62 - 1)),
    *(str(2**62), str(2**63), str(2**64), "9" * 99, "9" * 101, "-1", "+3", "1.0", "1e3", "", " 7 ", "\uff17", "7_0"),
    *("nan", "0x7", "\udc80", "1/1"),
)
_TEXTS = (
    *("", " ", "a", "A", "x y", "'", '"', "''", '""', "`", ";", "--", "/*", "*/", "%", "_", "\\", "\\n", "$1", "{}"),
    *("{0}", "%s", "=", ",", "é", "e\u0301", "ß", "ǆ", "İ", "日本語", "\U0001f600", "\u202e", "\ufeff", "\u2028"),
    *("\x85", "\xa0", "\x1b[31m", "\n", "\r\n", "\t", "\x7f", "\x1c", "\x1f", "\x01", "\udc80", "\udcff", "\uffff"),
    *("\U0010ffff", "NaN", "null", "NULL", "None", "true", "inf", "1e999", "-0", "a" * 300, "é" * 3000, "../x", "/no/"),
    *("/dev/null/", ".", "..", "~", "-", "--help", "--", "@", "file://x", "postgresql://u:p@h/d", "spark:x", "$x$"),
    *("\\frac", "$\\frac$", "^_^", "x.csv", "x.parquet", "con", "select 1", "2024-02-30", "9999-12-31", "0001-01-01"),
    *("10000-01-01",),
)
_BYTES = (
    *(b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\x80", b"\r", b"\n", b"\r\n"),
    *(b"\x1c", b"\x1f", b"\x85", b"\x1a", b'"', b'""', b"'", b",", b",,", b";", b"\t", b" ", b"-", b"e", b"9" * 40),
    *(b"9" * 400, b"1e999", b"nan", b"inf", b"\xf0\x9f\x98\x80", b"#", b"{", b"}", b"[", b"]", b":", b"null"),
    *(b"true", b"-1", b"0.1", b"1e-400", b"\\u0000", b"\\ud800", b"PAR1", b"\xe2\x80\xa8"),
)


def chance(r: Random, p: float) -> bool:
    return r.random() < p


def among(r: Random, *choices: str) -> str:
    """One of the choices, mostly."""
    return r.choice(choices) if chance(r, 0.95) else nasty_text(r)


def number(r: Random) -> str:
    if chance(r, 0.3):
        return r.choice(_NUMBERS)
    if chance(r, 0.2):
        return f"{r.randint(0, 999)}/{r.randint(1, 999)}"
    return f"{r.random() * 10.0 ** r.randint(-12, 3):.{r.randint(1, 17)}g}"


def epsilon(r: Random) -> str:
    return r.choice(("0.5", "1", "1/3", "0.1", "2", "0", "1e-9", "40")) if chance(r, 0.7) else number(r)


def delta(r: Random) -> str:
    return r.choice(("0", "0", "1e-6", "0.1", "1/3", "0.999999", "1e-30")) if chance(r, 0.7) else number(r)


def level(r: Random) -> str:
    return r.choice(("0.9", "0.99", "0.999", "1/2", "1e-9", "0.9999999999999999999")) if chance(r, 0.7) else number(r)


def count(r: Random, most: int = 6) -> str:
    """Mostly from 0 to `most`; else anything, of which only what is refused at once is large."""
    return str(r.randint(0, most)) if chance(r, 0.8) else r.choice(_COUNTS)


def size(r: Random, most: int = 6) -> str:
    """A count that decides how much there is to compute: mostly small, else refused, or too large to do much with."""
    return str(r.randint(0, most)) if chance(r, 0.9) else r.choice(_SIZES)


def _is_dear(text: str) -> bool:
    """Whether a computation may take minutes: hundreds of audits, each of a thousand steps."""
    return text.isascii() and text.isdigit() and (7 < int(text) < 4097 or 2**64 < int(text) < 10**100)


_SIZES = [each for each in _COUNTS if not _is_dear(each)]


def values(r: Random, one: Text) -> str:
    """A text of numbers and ranges."""
    kind = r.random()
    if kind < 0.5:
        return one(r)
    if kind < 0.8:
        return ",".join(one(r) for _ in range(r.randint(1, 3)))
    if kind < 0.9:
        return f"0:{r.randint(0, 3)}:{r.choice(('1', '0.5', '1/3', '0', '-1', '1e-9', ''))}"
    return ":".join(one(r) for _ in range(r.randint(1, 5)))


def nasty_text(r: Random) -> str:
    return "".join(r.choice(_TEXTS) for _ in range(r.choice((1, 1, 1, 2, 3))))


def options(r: Random, known: Mapping[str, Text | None], share: float) -> list[str]:
    """Each option with this chance, in any order, sometimes twice; None for a flag.

    Half of the inputs have none of those whose chance is small.
    """
    found: list[str] = []
    if share < 0.5 and chance(r, 0.5):
        return found
    for name, value in r.sample(list(known.items()), len(known)):
        for _ in range(chance(r, share) + chance(r, 0.01)):
            spelled = [name] if value is None else [name, value(r) if chance(r, 0.95) else nasty_text(r)]
            found += spelled if chance(r, 0.95) or len(spelled) == 1 else ["=".join(spelled)]
    return found


def mutated(r: Random, content: bytes) -> bytes:
    """With a few bytes taken away, put in, doubled or changed."""
    changed = bytearray(content)
    for _ in range(r.choice((1, 1, 2, 4, 16))):
        at = r.randint(0, len(changed))
        end = min(len(changed), at + r.choice((0, 1, 1, 2, 8, 64)))
        kind = r.randrange(5)
        if kind == 0:
            changed[at:end] = b""
        elif kind == 1:
            changed[at:at] = r.choice(_BYTES)
        elif kind == 2:
            changed[at:end] = r.choice(_BYTES)
        elif kind == 3:
            changed[at:at] = changed[at:end]
        elif at < len(changed):
            changed[at] ^= 1 << r.randrange(8)
    return bytes(changed) if chance(r, 0.95) else bytes(changed[: r.randint(0, len(changed))])

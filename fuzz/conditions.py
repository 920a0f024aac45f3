"""Conditions on the columns of a table, and what may stand in its cells."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from values import chance, nasty_text

__all__ = ["CELLS", "NAMES", "condition"]

NAMES = (
    *("i", "f", "s", "d", "b", "t", "I", "a b", "é", 'q"', "select", "TRUE", "x.y", "", " ", "日本", "total"),
    *("is_other", "released"),
)
"""Names of columns."""

CELLS: dict[str, tuple[str, ...]] = {
    "i": ("0", "1", "-1", "7", "007", "+5", "9" * 18, "9" * 38, "9" * 39, str(2**63), "", " 1", "1 "),
    "f": (
        *("0.5", "2.6", "-0.0", "1e5", "1e-400", "1e400", "16777217", "9007199254740993", ".5", "5.", "", "1,5"),
        *("nan", "inf"),
    ),
    "s": (
        *("a", "b", "A", "é", "e\u0301", " a", "a ", "", '"', "''", "NA", "NaN", "-", "\U0001f600", "a\nb", "a,b"),
        *("\x1c", "x" * 99),
    ),
    "d": (
        *("2024-01-01", "2024-02-29", "2023-02-29", "1969-12-31", "9999-12-31", "0001-01-01", "31.12.2024"),
        *("01/02/2024", ""),
    ),
    "b": ("true", "false", "TRUE", "t", "0", "1", "yes", ""),
    "t": ("2024-01-01 00:00:00", "2024-01-01T00:00:00Z", "2024-01-01 00:00:00.9999999", "2024-01-01 25:00:00", ""),
}
"""Cells of each kind (whole numbers, fractions, texts, dates, truths, timestamps); of each the first three are good."""


def condition(r: Random, columns: list[tuple[str, str]], depth: int) -> str:
    """A condition on columns of these names and kinds: mostly one that makes sense, else one by the grammar alone."""
    return _sensible(r, columns, depth) if chance(r, 0.7) else _spelled(r, [name for name, _ in columns], depth)


def _sensible(r: Random, columns: list[tuple[str, str]], depth: int) -> str:
    def deeper() -> str:
        return _sensible(r, columns, depth - 1)

    if depth > 1 and chance(r, 0.6):
        return r.choice(
            (
                lambda: f"{deeper()} {r.choice(('AND', 'OR'))} {deeper()}",
                lambda: f"NOT ({deeper()})",
                lambda: f"({deeper()})",
                lambda: f"CASE WHEN {deeper()} THEN {r.choice(_INTEGERS)} ELSE {r.choice(_FRACTIONS)} END = 1",
            )
        )()
    name, kind = r.choice(columns)
    column = _quoted(name)
    if chance(r, 0.1):
        return f"{column} IS {r.choice(('NULL', 'NOT NULL'))}"
    if kind == "b":
        return r.choice(
            (column, f"NOT {column}", f"{column} = TRUE", f"{column} <> FALSE", f"coalesce({column}, FALSE)")
        )
    if kind == "s" and chance(r, 0.3):
        return r.choice(
            (f"{column} LIKE {_a(r, 's')}", f"length({column}) > {r.choice(_INTEGERS)}", f"{column} LIKE '%a\\_%'")
        )
    if kind in "dt" and chance(r, 0.3):
        part = r.choice(("year", "quarter", "month", "day"))
        return f"extract({part} from {column}) {r.choice(_OPERATORS)} {r.choice(_INTEGERS)}"
    term = r.choice(_TERMS[kind]).format(column=column, literal=_a(r, kind))
    return r.choice(
        (
            lambda: f"{term} {r.choice(_OPERATORS)} {_a(r, kind)}",
            lambda: f"{term} {r.choice(_OPERATORS)} {term}",
            lambda: f"{term} {r.choice(('', 'NOT '))}IN ({', '.join(_a(r, kind) for _ in range(r.randint(1, 3)))})",
            lambda: f"{term} BETWEEN {_a(r, kind)} AND {_a(r, kind)}",
        )
    )()


_FUNCTIONS = ("lower", "upper", "length", "abs", "trim", "round", "floor", "ceil", "sqrt", "md5")
_OPERATORS = ("=", "<>", "<", "<=", ">", ">=")
_INTEGERS = ("0", "1", "-1", "2023", "7", "16777217", "9007199254740993", "-9223372036854775808", "9" * 38)
_FRACTIONS = ("0.5", "2.1", "-0.0", "1e3", "0.1", "65504", "1e-5", "123456789.123456789", "1e300")
_TERMS = {
    "i": ("{column}",) * 3
    + (
        "{column} + {literal}",
        "-{column}",
        "abs({column})",
        "{column} * 2",
        "coalesce({column}, {literal})",
        "{column} % 2",
    ),
    "f": ("{column}",) * 3
    + (
        "{column} - 0.5",
        "-{column}",
        "abs({column})",
        "{column} / 3",
        "coalesce({column}, {literal})",
        "round({column})",
    ),
    "s": ("{column}",) * 3 + ("lower({column})", "upper({column})", "trim({column})", "coalesce({column}, {literal})"),
    "d": ("{column}",) * 3 + ("coalesce({column}, {literal})",),
    "t": ("{column}",) * 3 + ("coalesce({column}, {literal})",),
    "b": ("{column}",),
}


def _a(r: Random, kind: str) -> str:
    """A literal of that kind."""
    if kind in "if":
        return r.choice(_INTEGERS if kind == "i" or chance(r, 0.3) else _FRACTIONS)
    if kind == "s":
        return "'" + r.choice(CELLS["s"]).replace("'", "''").replace("\x1c", "").replace("\n", "") + "'"
    moment = datetime(2024, 1, 1) + timedelta(
        days=r.choice((0, 0, -1, 59, -19724)), microseconds=r.choice((0, 1, 999999))
    )
    return f"DATE '{moment:%Y-%m-%d}'" if kind == "d" else f"TIMESTAMP '{moment}'"


def _spelled(r: Random, names: list[str], depth: int) -> str:
    """A condition by the grammar of predicates, and a little beyond it."""

    def deeper() -> str:
        return _spelled(r, names, depth - 1)

    if depth <= 0 or chance(r, 0.4):
        left, right = _term(r, names, 1), _term(r, names, 1)
        return r.choice(
            (
                lambda: f"{left} {r.choice(('=', '<>', '!=', '<', '<=', '>', '>=', '=='))} {right}",
                lambda: f"{left} {r.choice(('=', '<', '>='))} {_literal(r)}",
                lambda: (
                    f"{left} {r.choice(('IN', 'NOT IN'))} ({', '.join(_literal(r) for _ in range(r.randint(0, 3)))})"
                ),
                lambda: f"{left} BETWEEN {_literal(r)} AND {_literal(r)}",
                lambda: f"{left} IS {r.choice(('NULL', 'NOT NULL', 'TRUE', 'DISTINCT FROM 1'))}",
                lambda: f"{left} {r.choice(('LIKE', 'ILIKE', 'NOT LIKE', 'SIMILAR TO', 'GLOB', '~'))} {_literal(r)}",
                lambda: left,
                lambda: r.choice(("TRUE", "FALSE", "NULL")),
            )
        )()
    return r.choice(
        (
            lambda: f"{deeper()} {r.choice(('AND', 'OR', 'XOR'))} {deeper()}",
            lambda: f"NOT {deeper()}",
            lambda: f"({deeper()})",
            lambda: f"CASE WHEN {deeper()} THEN {deeper()} ELSE {deeper()} END",
            lambda: f"coalesce({deeper()}, {deeper()})",
            lambda: f"({deeper()}) = ({deeper()})",
        )
    )()


def _term(r: Random, names: list[str], depth: int) -> str:
    if depth <= 0 or chance(r, 0.6):
        return _column(r, names) if chance(r, 0.75) else _literal(r)

    def deeper() -> str:
        return _term(r, names, depth - 1)

    return r.choice(
        (
            lambda: f"{deeper()} {r.choice('+-*/%')} {deeper()}",
            lambda: f"-{deeper()}",
            lambda: f"({deeper()})",
            lambda: f"{r.choice(_FUNCTIONS)}({deeper()})",
            lambda: f"extract({r.choice(('year', 'month', 'day', 'hour', 'dow', 'epoch', 'century'))} from {deeper()})",
            lambda: f"coalesce({deeper()}, {_literal(r)})",
            lambda: f"CAST({deeper()} AS {r.choice(('INTEGER', 'TEXT', 'DOUBLE', 'DATE', 'DECIMAL(5, 2)', 'BLOB'))})",
            lambda: f"CASE WHEN {deeper()} = {_literal(r)} THEN {deeper()} ELSE {_literal(r)} END",
            lambda: f"nullif({deeper()}, {_literal(r)})",
            lambda: r.choice(
                ("count(*)", "random()", "now()", "(SELECT 1)", "row_number() OVER ()", "read_csv('t.csv')", "*", "?")
            ),
        )
    )()


def _column(r: Random, names: list[str]) -> str:
    name = r.choice(names) if names and chance(r, 0.97) else r.choice(NAMES)
    return name if name.isidentifier() and chance(r, 0.9) else _quoted(name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(r: Random) -> str:
    kind = r.random()
    if kind < 0.35:
        return r.choice(
            (
                "0",
                "1",
                "-1",
                "2.5",
                "0.1",
                "16777217",
                "1e3",
                "9007199254740993",
                "9" * 38,
                "9" * 60,
                "1e400",
                "1e-400",
                ".5",
            )
        )
    if kind < 0.65:
        return "'" + r.choice(CELLS["s"]).replace("'", "''") + "'"
    if kind < 0.8:
        moment = datetime(2024, 1, 1) + timedelta(days=r.randint(-30_000, 30_000))
        return r.choice(
            (
                f"DATE '{moment:%Y-%m-%d}'",
                f"TIMESTAMP '{moment}'",
                "DATE '2024-02-30'",
                "TIME '12:00'",
                "INTERVAL '1 day'",
            )
        )
    if kind < 0.95:
        return r.choice(("TRUE", "FALSE", "NULL"))
    return "'" + nasty_text(r).replace("'", "''") + "'"

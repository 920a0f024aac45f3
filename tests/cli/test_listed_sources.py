"""Two neighboring sources that both fit the list look the same to whoever asks, but for the released counts.

An owner lists a source. Someone else asks of it, and of a source that differs from it in one row (or in the rows of one
unit): a condition, keys and options of his own making, good and bad. Exit code, both outputs and the charge must be
equal. Draws are made to give 0, so that even what follows from the released counts is; what is left to differ are ids,
hashes of entries and moments.
"""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import postgresql_server
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushcount.ledger import Ledger
from hushcount.ledger.listing import misfit
from hushcount.mechanisms.base import Mechanism

Row = tuple[Any, ...]

BATCHES = {"csv": 10, "sqlite": 6, "parquet": 5, "postgresql": 4}
PAIRS_OF_A_BATCH = 40
QUESTIONS_OF_A_LIST, NEIGHBOURS_OF_A_QUESTION = 4, 3
LEAST_ANSWERS = 5
"""In 25 batches these are 1,000 pairs; of so many in each batch the question must have been answered, not refused."""

NAMES = ("who", "a", "b")
"""The columns; `who` is the unit where units are counted."""

# --- values -----------------------------------------------------------------------------------------------------------

_PEOPLE = ["alice", "bob", "carol", "dan"]
_FIELDS = {
    "integer": ["0", "1", "-3", "5", "20240131", "9007199254740993", "1" + "0" * 30, "", "nan"],
    "number": ["0.5", "1", "2.5", "1e30", "inf", "-0.0", "9007199254740992", "", "nan"],
    "text": ["x", "007", "7", "nan ", '""', '"NA"', "NA", "2024-01-31", "true", "GUESS", "", "1e999"],
    "boolean": ["true", "false", "TRUE", ""],
    "date": ["2024-01-31", "1999-12-31", "2024-02-29", ""],
    "timestamp": ["2024-01-31 05:06:07", "2024-01-31", "1969-12-31T23:59:59.999999", ""],
    "offset": ["2024-01-31 05:06:07Z", "2024-01-31 05:06:07+02:00", ""],
    "empty": ["", "nan"],
}
_STORED: dict[str, tuple[str, list[Any]]] = {
    "integer": ("INTEGER", [0, 1, -3, 2**53 + 1, -(2**63), 2**63 - 1, None]),
    "number": ("REAL", [0.5, 1.0, 2.5, 1e300, float("inf"), None]),
    "text": ("TEXT", ["x", "007", "7", "", "nan", "2024-01-31", None]),
    "date": ("DATE", ["2024-01-31", "1999-12-31", None]),
    "timestamp": ("DATETIME", ["2024-01-31 05:06:07", "2024-01-31 00:00:00", None]),
    "boolean": ("BOOLEAN", [0, 1, None]),
    "undeclared": ("", ["x", "y", "7", None]),
}
_MOMENTS = [datetime(2024, 1, 31, 5, 6, 7), datetime(1969, 12, 31, 23, 59, 59, 999999), None]
_ARROW: dict[str, tuple[Any, list[Any]]] = {
    "integer": (pa.int64(), [0, 1, -3, 2**53 + 1, -(2**63), 2**63 - 1, None]),
    "small": (pa.int8(), [0, 1, -3, 127, None]),
    "number": (pa.float64(), [0.5, 1.0, 2.5, 1e300, float("inf"), float("nan"), None]),
    "single": (pa.float32(), [0.5, 2.5, 16777216.0, float("nan"), None]),
    "decimal": (pa.decimal128(10, 2), [Decimal("2.50"), Decimal("-0.01"), None]),
    "text": (pa.string(), ["x", "007", "7", "", "nan", "2024-01-31", None]),
    "date": (pa.date32(), [date(2024, 1, 31), date(1999, 12, 31), None]),
    "timestamp": (pa.timestamp("us"), _MOMENTS),
    "zoned": (pa.timestamp("us", "UTC"), _MOMENTS),
    "boolean": (pa.bool_(), [True, False, None]),
}
_SERVED: dict[str, tuple[str, list[Any]]] = {
    "integer": ("integer", [0, 1, -3, 2**31 - 1, None]),
    "number": ("double precision", [0.5, 2.5, 1e300, float("inf"), float("nan"), None]),
    "single": ("real", [0.5, 2.5, 16777216.0, float("nan"), None]),
    "numeric": ("numeric", [*map(Decimal, ["2.5", "1e25", "NaN", "Infinity", "1e-20"]), None]),
    "decimal": ("numeric(10, 2)", [Decimal("2.50"), Decimal("-0.01"), None]),
    "text": ("text", ["x", "007", "7", "", "nan", "2024-01-31", None]),
    "short": ("varchar(3)", ["x", "007", "", None]),
    "padded": ("char(3)", ["x", "007", "", None]),
    "date": ("date", [date(2024, 1, 31), date(1999, 12, 31), None]),
    "timestamp": ("timestamp", _MOMENTS),
    "boolean": ("boolean", [True, False, None]),
}

# --- sources ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """A source that can be written anew with other rows.

    Attributes:
        given: its address.
        kinds: what `a` and `b` hold.
        pools: the values of each column.
        write: replaces all rows.
        options: how its owner has it read.
        path: of a file.
    """

    given: str
    kinds: Sequence[str]
    pools: Sequence[Sequence[Any]]
    write: Callable[[Sequence[Row]], None]
    options: tuple[str, ...] = ()
    path: Path | None = None


def csv_source(folder: Path, rng: random.Random) -> Source:
    path = folder / "people.csv"
    kinds = [rng.choice(sorted(_FIELDS)) for _ in NAMES[1:]]
    pools = [rng.sample(_FIELDS[kind], rng.randint(2, len(_FIELDS[kind]))) for kind in kinds]

    def write(rows: Sequence[Row]) -> None:
        path.write_text("".join(f"{','.join(map(str, row))}\n" for row in [NAMES, *rows]), "utf-8")

    pins = {"integer", "number", "text", "boolean", "date", "timestamp"}
    options = []
    for name, kind in zip(NAMES[1:], kinds, strict=True):
        if kind in pins and rng.random() < 0.3:
            options += ["--type", f"{name}={kind}"]
    if rng.random() < 0.2:
        options += ["--null", rng.choice(["NA", "alice", "x"])]
    return Source(str(path), kinds, [[*_PEOPLE, ""], *pools], write, tuple(options), path)


def sqlite_source(folder: Path, rng: random.Random) -> Source:
    path = folder / "people.db"
    kinds = [rng.choice(sorted(_STORED)) for _ in NAMES[1:]]
    chosen = [_STORED[kind] for kind in kinds]
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in zip(NAMES, [("TEXT", []), *chosen], strict=True))

    def write(rows: Sequence[Row]) -> None:
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE people ({columns})")
            connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)

    return Source(str(path), kinds, [[*_PEOPLE, None], *(pool for _, pool in chosen)], write, (), path)


def parquet_source(folder: Path, rng: random.Random) -> Source:
    path = folder / "people.parquet"
    kinds = [rng.choice(sorted(_ARROW)) for _ in NAMES[1:]]
    chosen = [(pa.string(), [*_PEOPLE, None]), *(_ARROW[kind] for kind in kinds)]

    def write(rows: Sequence[Row]) -> None:
        values = list(zip(*rows, strict=True)) or [()] * len(NAMES)
        columns = [pa.array(column, kind) for column, (kind, _) in zip(values, chosen, strict=True)]
        parquet.write_table(pa.table(columns, names=list(NAMES)), path)

    return Source(str(path), kinds, [pool for _, pool in chosen], write, (), path)


def postgresql_source(url: str, rng: random.Random) -> Source:
    import psycopg

    kinds = [rng.choice(sorted(_SERVED)) for _ in NAMES[1:]]
    chosen = [_SERVED[kind] for kind in kinds]
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in zip(NAMES, [("text", []), *chosen], strict=True))
    table = f"t{rng.getrandbits(64):x}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {table} ({columns})")
        ((schema,),) = connection.execute("SELECT current_schema()").fetchall()

    def write(rows: Sequence[Row]) -> None:
        with psycopg.connect(url) as connection:
            connection.execute(f"DELETE FROM {table}")
            connection.cursor().executemany(f"INSERT INTO {table} VALUES (%s, %s, %s)", rows)

    return Source(
        url, kinds, [[*_PEOPLE, None], *(pool for _, pool in chosen)], write, ("--table", f"{schema}.{table}")
    )


# --- questions --------------------------------------------------------------------------------------------------------

_LITERALS = ["1", "2.5", "0", "9007199254740993", "1e30", "1e400", "0.1", "'x'", "'007'", "''", "'a '", "'alice'"]
_LITERALS += ["'abcdef'", "TRUE", "NULL", "DATE '2024-01-31'", "DATE '2024-02-30'", "'2024-01-31'"]
_LITERALS += ["TIMESTAMP '2024-01-31 05:06:07'", "TIMESTAMP '2024-01-31 05:06:07+02:00'"]
_SIGNS = ["=", "<>", "<", "<=", ">", ">="]


def term(rng: random.Random, depth: int = 1) -> str:
    if depth == 0 or rng.random() < 0.5:
        return rng.choice([*NAMES, "a", "b", "a", "b", rng.choice(_LITERALS)])
    x, y = term(rng, depth - 1), term(rng, depth - 1)
    shapes = [f"coalesce({x}, {y})", f"({x} + {y})", f"({x} * {y})", f"({x} / {y})", f"({x} % 2)", f"abs({x})"]
    shapes += [f"lower({x})", f"trim({x})", f"length({x})", f"extract(year FROM {x})", f"-{x}"]
    shapes += [f"CASE WHEN {x} = {y} THEN {x} ELSE {y} END", f"CASE WHEN {x} IS NULL THEN {y} END"]
    return rng.choice(shapes)


_FITTING = {
    "text": ["'x'", "'007'", "''"],
    "boolean": ["TRUE", "FALSE"],
    "date": ["DATE '2024-01-31'"],
    "timestamp": ["TIMESTAMP '2024-01-31 05:06:07'"],
}
_ALIKE = {"short": "text", "padded": "text", "undeclared": "text", "offset": "timestamp", "zoned": "timestamp"}


def fitting_condition(rng: random.Random, kinds: Sequence[str]) -> str:
    """A condition that a column of its kind has no reason to refuse, unless it is empty."""
    name, kind = rng.choice([*zip(NAMES[1:], kinds, strict=True), ("who", "text")])
    literals = _FITTING.get(_ALIKE.get(kind, kind), ["1", "2.5", "9007199254740993", "0.1"])
    signs = ["=", "<>"] if kind == "boolean" else _SIGNS
    return rng.choice([f"{name} {rng.choice(signs)} {rng.choice(literals)}"] * 3 + [f"{name} IS NULL", "TRUE"])


def condition(rng: random.Random, kinds: Sequence[str]) -> str:
    if rng.random() < 0.5:
        return fitting_condition(rng, kinds)
    x, y, literal = term(rng), term(rng), rng.choice(_LITERALS)
    column = rng.choice(NAMES)
    shapes = [f"{column} {rng.choice(_SIGNS)} {literal}", f"{x} {rng.choice(_SIGNS)} {y}", f"{x} IS NULL"]
    shapes += [f"{column} IN ({literal}, {rng.choice(_LITERALS)})", f"{column} BETWEEN {literal} AND {y}"]
    shapes += [f"{column} LIKE '%1%'", f"{column}", "nowhere = 1", f"({x} = {y}) IS TRUE", "TRUE"]
    first = rng.choice([*shapes, *shapes[:1] * 8])
    if rng.random() < 0.25:
        return f"{first} {rng.choice(['AND', 'OR'])} {rng.choice(shapes)}"
    return f"NOT ({first})" if rng.random() < 0.2 else first


_ANOTHER_READING = [
    ("--null", "NA"), ("--null", "alice"), ("--null", ""), ("--type", "a=date"), ("--type", "a=integer"),
    ("--type", "b=text"), ("--type", "who=date"), ("--unit", "who"), ("--unit", "a"),
    ("--unit", "who", "--without-unit", "one-unit"), ("--delimiter", ";"), ("--no-header",), ("--decimal", ","),
    ("--date-format", "%d.%m.%Y"), ("--encoding", "latin-1"), ("--format", "csv"), ("--table", "other"),
]  # fmt: skip


_KEYS = ["1,2", "x,007", "2024-01-31", "true,false", "alice,bob", "1,1.0", "1,01", '"",x', "abcdef", "2.50", ",x"]


@dataclass
class Asker:
    """Someone who asks about a source that an owner listed, and what he sees of it and of its neighbors.

    Attributes:
        source: listed under the budget `b` of the ledger.
        rows: what it holds.
        of_units, with_missing: whether the column `who` tells units, and whether rows may be without one.
        written: the rows that it holds now.
    """

    source: Source
    ledger: Path
    rng: random.Random
    run: Callable[..., Any]
    adjacency: str
    of_units: bool
    with_missing: bool
    rows: list[Row] = field(default_factory=list)
    written: Sequence[Row] = ()

    @classmethod
    def of(cls, source: Source, ledger: Path, rng: random.Random, run: Callable[..., Any]) -> Asker | None:
        """None if the rows do not make a source: they are not of a pinned type, say."""
        of_units = rng.random() < 0.4
        with_missing = not of_units or rng.random() < 0.5
        asker = cls(source, ledger, rng, run, rng.choice(["replace-one", "add-remove"]), of_units, with_missing)
        asker.rows = asker.written = [asker.row() for _ in range(rng.choice([0, 1, 2, 3, 6]))]
        source.write(asker.rows)
        unit = ["--unit", "who", *(["--without-unit", "one-unit"] if with_missing else [])] if of_units else []
        made = run(
            *("budget", "create", "b", "--ledger", asker.new, "--epsilon", "1000", "--delta", "0.1"),
            *("--adjacency", asker.adjacency, "--source", source.given, *source.options, *unit),
        )
        assert made.code in (0, 3), made
        return asker if made.code == 0 else None

    @property
    def new(self) -> Path:
        """The ledger as its owner made it."""
        return self.ledger.with_name("new.ledger")

    @property
    def name(self) -> str:
        """What receipts call the source."""
        return Ledger(self.new).sources("b")[0].name

    def sees(self, rows: Sequence[Row], question: Sequence[str]) -> tuple[int, str, str, Fraction]:
        """Exit code, both outputs and what was charged, where the source holds these rows."""
        if rows != self.written:
            self.source.write(rows)
            self.written = rows
        shutil.copy(self.new, self.ledger)
        found = self.run(*question, "--ledger", self.ledger, "--budget", "b")
        out, err = (_OF_ONE_CALL.sub("*", text) for text in (found.out, found.err))
        return found.code, out, err, Ledger(self.ledger).budget("b").spent_epsilon

    def fits(self) -> bool:
        """Whether the source is as it is listed."""
        ledger = Ledger(self.ledger)
        return misfit(ledger, ledger.sources("b")[0]) is None

    def row(self) -> Row:
        who, *others = self.source.pools
        names = who if self.with_missing else [name for name in who if name]
        return (self.rng.choice(names), *(self.rng.choice(pool) for pool in others))

    def neighbour(self) -> list[Row] | None:
        """The rows after one change: of a row, or of all the rows of one unit; None if there is nothing to change."""
        rng, rows = self.rng, self.rows
        if self.adjacency == "replace-one":
            if not rows:
                return None
            at = rng.randrange(len(rows))
            if not self.of_units:
                return [*rows[:at], self.row(), *rows[at + 1 :]]
            one = rows[at][0]
            others = [(one, *self.row()[1:]) for _ in range(rng.randint(1, 3))]
            return [*(row for row in rows if row[0] != one), *others]
        if self.of_units:
            one = self.row()[0]
            kept = [row for row in rows if row[0] != one]
            return kept if len(kept) < len(rows) else [*rows, *((one, *self.row()[1:]) for _ in range(2))]
        if rows and rng.random() < 0.5:
            at = rng.randrange(len(rows))
            return [*rows[:at], *rows[at + 1 :]]
        return [*rows, self.row()]

    def question(self) -> list[str]:
        """What is asked, but for the ledger."""
        rng, given = self.rng, self.source.given
        of_cells = rng.random() < 0.3
        asked = ["table" if of_cells else "release"]
        if rng.random() < 0.3:
            asked += ["--source", given] if "://" in given else [given]
        asked += ["--where", condition(rng, self.source.kinds), "--epsilon", rng.choice(["0.1", "1", "0"])]
        if of_cells:
            asked += ["--by", rng.choice(NAMES), "--keys", rng.choice(_KEYS)]
            asked += ["--max-cells", "1"] if self.of_units or rng.random() < 0.1 else []
            asked += ["--undeclared", "left-out"] if rng.random() < 0.2 else []
        asked += ["--adjacency", self.adjacency] if rng.random() < 0.95 else []
        asked += ["--max", rng.choice(["3", "0", "100"])] if self.adjacency == "add-remove" else []
        asked += rng.choice(_ANOTHER_READING) if rng.random() < 0.2 else []
        asked += rng.choice([["--explain"], ["--json"], [], []])
        return [*asked, *(["--delta", "1e-9"] if rng.random() < 0.1 else [])]


# --- the test ---------------------------------------------------------------------------------------------------------

MISFIT = (
    "hushcount: error: {} cannot be read as its columns are listed; "
    "hushcount budget source check tells its owner where\n"
)
_OF_ONE_CALL = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}(Z| UTC)"
)
"""Ids, hashes of entries, and moments."""


@pytest.fixture
def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every draw is 0, whatever the true count. Who may look into the database is not in the list."""

    def zeros(mechanism: Mechanism, true: Any) -> Any:
        return 0 if np.ndim(true) == 0 else np.zeros(np.shape(true), np.int64)

    monkeypatch.setattr(Mechanism, "draw", zeros)
    monkeypatch.setenv("PGUSER", postgresql_server.USER)
    monkeypatch.setenv("PGPASSWORD", postgresql_server.PASSWORD)


def batches() -> list[Any]:
    return [
        pytest.param(kind, batch, id=f"{kind}-{batch}") for kind, count in BATCHES.items() for batch in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "batch"), batches())
def test_neighbours_that_fit_the_list_look_the_same(kind, batch, tmp_path, run, without_noise, request):
    rng = random.Random(f"{kind} {batch}")
    compared = answered = number = 0
    while compared < PAIRS_OF_A_BATCH:
        folder = tmp_path / str(number)
        folder.mkdir()
        number += 1
        if kind == "postgresql":
            source = postgresql_source(request.getfixturevalue("database"), rng)
        else:
            source = {"csv": csv_source, "sqlite": sqlite_source, "parquet": parquet_source}[kind](folder, rng)
        asker = Asker.of(source, folder / "ledger", rng, run)
        for _ in range(0 if asker is None else QUESTIONS_OF_A_LIST):
            asks = asker.question()
            first = asker.sees(asker.rows, asks)
            for _ in range(NEIGHBOURS_OF_A_QUESTION):
                other = asker.neighbour()
                if other is None:
                    continue
                second = asker.sees(other, asks)
                if second[0] == 0 or asker.fits():  # an answer has to be the same, whatever fits
                    assert first == second, (asker.rows, other, asks)
                    compared += 1
                    answered += first[0] == 0
                elif second != first:
                    assert second == (3, "", MISFIT.format(asker.name), 0), (asker.rows, other, asks)
    assert answered >= LEAST_ANSWERS

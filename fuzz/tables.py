"""Tables and what is asked of them: CSV, JSON lines, Parquet, Arrow, keys, conditions."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
from conditions import CELLS, NAMES, condition
from pyarrow import feather, ipc, parquet
from values import Case, among, chance, count, delta, epsilon, mutated, nasty_text, number, options

__all__ = [
    "ASKING",
    "arrow_case",
    "csv_case",
    "drawn_columns",
    "drawn_rows",
    "json_case",
    "keys_case",
    "parquet_case",
    "predicate_case",
]

_TYPES: tuple[Callable[[Random], pa.DataType], ...] = (
    lambda r: r.choice((pa.int8(), pa.int64(), pa.uint64(), pa.uint8(), pa.int32())),
    lambda r: r.choice((pa.float32(), pa.float64(), pa.float16())),
    lambda r: r.choice((pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.binary())),
    lambda r: r.choice((pa.date32(), pa.date64(), pa.time64("us"), pa.duration("s"))),
    lambda r: r.choice((pa.bool_(), pa.null(), pa.list_(pa.int64()), pa.struct([("x", pa.int64())]))),
    lambda r: pa.timestamp(r.choice(("s", "ms", "us", "ns")), tz=r.choice((None, None, "UTC", "Europe/Berlin"))),
    lambda r: pa.decimal128(r.choice((1, 5, 18, 38)), r.choice((0, 1))),
)


def drawn_columns(r: Random) -> list[tuple[str, str]]:
    """Names, and of what kind each is; mostly the name says it."""
    kinds = r.sample("ifsdbt", r.randint(1, 4))
    return [(kind if chance(r, 0.85) else r.choice(NAMES), kind) for kind in kinds]


def _csv(r: Random, columns: list[tuple[str, str]], rows: int, delimiter: str = ",") -> str:
    text = io.StringIO()
    quoting = r.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    writer = csv.writer(text, delimiter=delimiter, lineterminator=r.choice(("\n", "\n", "\r\n", "\r")), quoting=quoting)
    writer.writerow([name for name, _ in columns])
    odd = r.choice((0.0, 0.0, 0.3))
    for _ in range(rows):
        writer.writerow([_cell(r, kind, odd) for _, kind in columns])
    return text.getvalue()


def _cell(r: Random, kind: str, odd: float) -> str:
    if not chance(r, odd):
        return r.choice((*CELLS[kind][:3], ""))
    return nasty_text(r) if chance(r, 0.2) else r.choice(CELLS[kind])


def drawn_rows(r: Random) -> int:
    return r.choice((0, 1, 1, 2, 3, 5, 20))


def _bytes(r: Random, text: str) -> bytes:
    encoding = r.choice(("utf-8",) * 12 + ("utf-8-sig", "latin-1", "utf-16", "cp1252"))
    content = text.encode(encoding, errors="replace")
    if chance(r, 0.2):
        content = mutated(r, content)
    return gzip.compress(content, mtime=0) if chance(r, 0.03) else content


_READING: dict[str, Callable[[Random], str] | None] = {
    "--delimiter": lambda r: among(r, ",", ";", "\t", "|", " ", "ab", '"', "\n"),
    "--encoding": lambda r: among(r, "utf-8", "latin-1", "utf-16", "cp1252", "rot13", "base64", "idna", "undefined"),
    "--null": lambda r: among(r, "NA", "", "-", "a", '"', "1", "nan"),
    "--decimal": lambda r: among(r, ".", ",", ";"),
    "--date-format": lambda r: among(r, "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d", "%Q", "%", "%Y%Y", "%s"),
    "--type": lambda r: (
        f"{r.choice(NAMES)}={among(r, 'text', 'integer', 'decimal', 'date', 'boolean', 'timestamp', 'float')}"
    ),
    "--no-header": None,
    "--format": lambda r: among(r, "auto", "csv", "parquet", "duckdb", "sqlite"),
    "--table": lambda r: among(r, "t", "main.t"),
}
ASKING: dict[str, Callable[[Random], str] | None] = {
    "--delta": delta,
    "--adjacency": lambda r: among(r, "replace-one", "add-remove"),
    "--max": lambda r: count(r, 9),
    "--mechanism": lambda r: among(r, "nearest", "canonical", "t.csv", "nosuch.json"),
    "--unit": lambda r: among(r, "s", "i", "d"),
    "--without-unit": lambda r: among(r, "error", "one-unit"),
    "--rows-per-unit": lambda r: count(r, 3),
    "--json": None,
}


def csv_case(r: Random) -> Case:
    """A release from a CSV file."""
    columns, delimiter = drawn_columns(r), r.choice((",",) * 6 + (";", "\t", "|"))
    content = _bytes(r, _csv(r, columns, drawn_rows(r), delimiter))
    asked = ["--where", condition(r, columns, 2), "--epsilon", epsilon(r)]
    told = [] if delimiter == "," else ["--delimiter", delimiter]
    more = [*told, *options(r, ASKING, 0.1), *options(r, _READING, 0.1)]
    return Case(("release", "t.csv", *asked, *more), {"t.csv": content})


_JSON: dict[str, tuple[Any, ...]] = {
    "i": (0, 1, -7, 2**63, 2**64, 1.0, "1", True),
    "f": (0.5, 2.25, 1, 1e300, -0.0, "0.5", float("nan")),
    "s": ("a", "é", "", "NA", "\ud800", 1, [], {"x": 1}),
    "d": ("2024-01-01", "1969-12-31", "2024-1-1", 20240101),
    "b": (True, False, "true", 1),
    "t": ("2024-01-01 00:00:00", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00+02:00", "a"),
}


def json_case(r: Random) -> Case:
    """A release from JSON lines."""
    columns, odd = drawn_columns(r), r.choice((0.0, 0.0, 0.2))

    def value(kind: str) -> Any:
        return None if chance(r, 0.1) else r.choice(_JSON[kind] if chance(r, odd) else _JSON[kind][:2])

    rows = [{name: value(kind) for name, kind in columns if chance(r, 0.9)} for _ in range(drawn_rows(r))]
    content = _bytes(r, "".join(json.dumps(row, ensure_ascii=chance(r, 0.5)) + "\n" for row in rows))
    asked = ["--where", condition(r, columns, 2), "--epsilon", epsilon(r)]
    more = [*options(r, ASKING, 0.1), *options(r, _READING, 0.05)]
    return Case(("release", "t.json", *asked, *more), {"t.json": content})


def arrow_case(r: Random) -> Case:
    """A release from an Arrow file or stream, or a Feather file."""
    table, told = _table(r, _names(r))
    buffer = io.BytesIO()
    try:
        if chance(r, 0.3):
            feather.write_feather(table, buffer, compression=r.choice(("lz4", "zstd", "uncompressed")))
        else:
            with (ipc.new_file if chance(r, 0.5) else ipc.new_stream)(buffer, table.schema) as writer:
                writer.write_table(table, r.choice((1, 2, 100)))
    except pa.ArrowException:  # what the format has not
        feather.write_feather(pa.table({"i": [1, 2, 3]}), buffer)
    content = mutated(r, buffer.getvalue()) if chance(r, 0.2) else buffer.getvalue()
    asked = ["--where", condition(r, told, 1), "--epsilon", epsilon(r)]
    return Case(("release", "t.arrow", *asked, *options(r, ASKING, 0.08)), {"t.arrow": content})


def _names(r: Random) -> list[str]:
    return list(
        dict.fromkeys(r.choice("ifsdbt") if chance(r, 0.8) else r.choice(NAMES) for _ in range(r.randint(1, 4)))
    )


def _table(r: Random, names: list[str]) -> tuple[pa.Table, list[tuple[str, str]]]:
    """A table, and the columns as conditions are asked of them."""
    rows = drawn_rows(r)
    columns, fields, told = [], [], []
    for name in names:
        kind = r.choice(_TYPES)(r)
        spelled = name.encode("utf-8", "replace") if chance(r, 0.97) else b"\xff" + name.encode("utf-8", "replace")
        fields.append(pa.field(spelled, kind))
        told.append((name, _letter(kind)))
        columns.append(pa.array([_value(r, kind) for _ in range(rows)], kind))
    return pa.Table.from_arrays(columns, schema=pa.schema(fields)), told


def _parquet(r: Random, names: list[str]) -> tuple[bytes, list[tuple[str, str]]]:
    """A file, and the columns as conditions are asked of them."""
    table, told = _table(r, names)
    buffer = io.BytesIO()
    try:
        parquet.write_table(table, buffer, use_deprecated_int96_timestamps=chance(r, 0.1))
    except pa.ArrowException:  # a type that Parquet has not
        parquet.write_table(pa.table({"i": [1, 2, 3]}), buffer)
    return mutated(r, buffer.getvalue()) if chance(r, 0.15) else buffer.getvalue(), told


def _letter(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "i"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "f"
    if pa.types.is_timestamp(kind):
        return "t"
    return "d" if pa.types.is_date(kind) else "b" if pa.types.is_boolean(kind) else "s"


def _value(r: Random, kind: pa.DataType) -> Any:
    if chance(r, 0.15) or pa.types.is_null(kind):
        return None
    if pa.types.is_integer(kind):
        signed = pa.types.is_signed_integer(kind)
        least, most = (
            (-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1) if signed else (0, 2**kind.bit_width - 1)
        )
        return r.choice((0, 1, 2, least, most))
    if pa.types.is_floating(kind):
        return r.choice((0.0, -0.0, 1.0, 2.1, 0.1, 2.5, float("nan"), float("inf"), 65504.0))
    if pa.types.is_timestamp(kind):
        return r.choice((0, 1, -1, 1704067200, 1704067199999999999, -(2**63) + 1, 2**63 - 1, 10**12, 10**15, 10**18))
    if pa.types.is_date(kind):
        return date(1970, 1, 1) + timedelta(days=r.choice((0, -1, 19723, 2932896, -719162)))
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        return r.choice((0, 1, 3600))
    if pa.types.is_boolean(kind):
        return chance(r, 0.5)
    if pa.types.is_decimal(kind):
        return Decimal(r.choice("0129")).scaleb(-kind.scale)
    if pa.types.is_list(kind):
        return [1, None]
    if pa.types.is_struct(kind):
        return {"x": 1}
    cell = r.choice(CELLS["s"])
    return cell.encode() if pa.types.is_binary(kind) else cell


def parquet_case(r: Random) -> Case:
    """A release, a table or an audit from a Parquet file."""
    names = _names(r)
    content, told = _parquet(r, names)
    files, kind = {"t.parquet": content}, r.random()
    if kind < 0.1:
        return Case(("audit", *r.choice((["t.parquet"], ["--samples", "t.parquet"]))), files)
    more = options(r, ASKING, 0.08)
    if kind < 0.3:
        keys = (
            [_listed(r)]
            if chance(r, 0.5)
            else ["from-data", "--adjacency", "add-remove", "--max", "9", "--delta", "0.1"]
        )
        by = r.choice(names)
        return Case(("table", "t.parquet", "--by", by, "--keys", *keys, "--epsilon", epsilon(r), *more), files)
    return Case(("release", "t.parquet", "--where", condition(r, told, 1), "--epsilon", epsilon(r), *more), files)


def _listed(r: Random) -> str:
    line = ",".join(
        r.choice(("a", "b", "1", "2", "true", "2024-01-01", "0.5", '"a,b"', '"NA"', "é"))
        for _ in range(r.randint(1, 4))
    )
    return line if chance(r, 0.8) else mutated(r, line.encode()).decode("utf-8", "surrogateescape").replace("\0", "")


_CELL_OPTIONS: dict[str, Callable[[Random], str] | None] = {
    **ASKING,
    "--where": lambda r: condition(r, list(zip("isd", "isd", strict=True)), 1),
    "--undeclared": lambda r: among(r, "other", "left-out"),
    "--max-cells": lambda r: count(r, 3),
    "--round-trip": lambda r: among(r, "total=3", "total=0", "total=-1", "x=1", f"total={number(r)}"),
    "--explain": None,
    "--output": lambda r: among(r, "out.csv", "out.parquet", "out.txt", "t.csv", "no/out.csv"),
    "--receipt": lambda r: among(r, "receipt.json", "t.csv"),
}


def keys_case(r: Random) -> Case:
    """A table of counts: keys in a line, in files, with totals."""
    columns = [("s", "s"), ("i", "i"), ("d", "d")]
    files = {"t.csv": _csv(r, columns, drawn_rows(r)).encode("utf-8", "surrogateescape")}
    by = r.choice([["s"], ["i"], ["d"], ["s", "i"], ["s", "d"]] * 5 + [["s", "s"], ["nosuch"]])
    kind = r.random() if len(by) == 1 else r.uniform(0.4, 1)
    if kind < 0.4:
        keys = ["--keys", _listed(r)]
    elif kind < 0.6:
        keys = ["--keys", "k.parquet"]
        files["k.parquet"], _ = _parquet(r, [*by] if len(set(by)) == len(by) else ["s"])
    else:
        has_totals = chance(r, 0.3)
        named = [(name, name if name in "sid" else "s") for name in by] + ([("total", "i")] if has_totals else [])
        files["k.csv"] = _bytes(r, _csv(r, named, r.randint(0, 4)))
        keys = ["--totals" if has_totals else "--keys", "k.csv"]
    if chance(r, 0.1):
        keys += ["--totals", "k.csv"]
    more = [*options(r, _CELL_OPTIONS, 0.12), *options(r, _READING, 0.03)]
    return Case(("table", "t.csv", "--by", ",".join(by), *keys, "--epsilon", epsilon(r), *more), files)


_TABLE = (
    "i,f,s,d,b,t\n"
    "1,0.5,a,2024-01-01,true,2024-01-01 00:00:00\n"
    "-7,2.25,é,1969-12-31,false,1969-12-31 23:59:59\n"
    ",,,,,\n"
    "12345678901234567890,1e5,a b,2024-02-29,true,2024-02-29 12:00:00\n"
).encode()


def predicate_case(r: Random) -> Case:
    """A condition on a small table."""
    where = condition(r, list(zip("ifsdbt", "ifsdbt", strict=True)), r.choice((1, 2, 2, 3, 4)))
    if chance(r, 0.15):
        where = (
            mutated(r, where.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape").replace("\0", " ")
        )
    if chance(r, 0.01):
        deep = r.choice((50, 500, 5000))
        where = r.choice(
            ("(" * deep + where + ")" * deep, "NOT " * deep + where, " AND ".join([where] * deep), "-" * deep + "1 = 1")
        )
    return Case(
        ("release", "t.csv", f"--where={where}", "--epsilon", "1", *options(r, ASKING, 0.02)), {"t.csv": _TABLE}
    )

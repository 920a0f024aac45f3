"""What hushcount wrote earlier and reads again: receipts, mechanism files, matrices, logs."""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from values import Case, among, chance, count, delta, epsilon, level, mutated, nasty_text, number, options, size

from hushcount import Mechanism, nearest, read_mechanism, release_count, release_table, save_mechanism
from hushcount.mechanisms import within
from hushcount.promise import SeveralPairs

__all__ = ["audit_case", "matrix_files", "mechanism_case", "receipt_case"]

_NAMED = {
    "receipt_id": "25caac8b-1b12-448f-baa4-2d8f2c9859cf",
    "released_at": "2026-12-01T04:31:11Z",
    "source": "t.csv",
}


@cache
def _receipts() -> dict[str, dict[str, Any]]:
    """One of each kind, with nothing in it that differs from run to run."""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "t.csv")
        Path(table).write_text("k,x,u\na,1,p\nb,2,q\nb,1,p\n")
        law = os.path.join(folder, "m.json")
        save_mechanism(nearest(3, 1), law)
        counts = {
            "plain": release_count(table, "x = 1", 1),
            "capped": release_count(table, "x = 1", "0.5", delta="1e-6", adjacency="add-remove", max_count=9),
            "units": release_count(table, "x = 1", 1, adjacency="add-remove", max_count=5, unit="u"),
            "audited": release_count(table, "x = 1", "1.0001", delta="1e-6", mechanism=read_mechanism(law)),
        }
        tables = {
            "table": release_table(table, by="k", keys=["a", "b"], epsilon=1),
            "open": release_table(table, by=["k", "x"], keys=[("a", 1)], epsilon=1, undeclared="left-out"),
        }
    found = {name: json.loads(receipt.to_json()) | _NAMED for name, receipt in {**counts, **tables}.items()}
    for name, facts in found.items():
        facts["released"] = [0] * len(facts["released"]) if name in tables else 1
    return found


_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    1,
    -1,
    2**63,
    10**400,
    0.5,
    -0.0,
    1e308,
    "",
    "1",
    "nan",
    "1e9999",
    "1/3",
    [],
    [1],
    {},
    {"a": 1},
    [[]],
    "é" * 99,
)


def _changed(r: Random, facts: Any) -> Any:
    """With a value somewhere in it that is another, or gone."""
    if isinstance(facts, dict) and facts and chance(r, 0.95):
        key = r.choice(sorted(facts))
        if chance(r, 0.1):
            return {name: value for name, value in facts.items() if name != key}
        changed = {**facts, key: _changed(r, facts[key])}
        return changed if chance(r, 0.95) else {**changed, nasty_text(r): r.choice(_VALUES)}
    if isinstance(facts, list) and facts and chance(r, 0.7):
        at = r.randrange(len(facts))
        return [*facts[:at], _changed(r, facts[at]), *facts[at + 1 :]]
    if isinstance(facts, str) and chance(r, 0.5):
        return mutated(r, facts.encode()).decode("utf-8", "replace")
    if isinstance(facts, int) and chance(r, 0.6):
        return r.choice((facts + 1, facts - 1, -facts, facts * 10**9, min(facts, 2**53) + 0.5, str(facts)))
    return r.choice(_VALUES)


def receipt_case(r: Random) -> Case:
    """What one receipt, or several, say."""
    files: dict[str, bytes] = {}
    is_table = chance(r, 0.5)
    several = is_table and chance(r, 0.3)
    names = [f"r{at}.json" for at in range(r.choice((2, 3)) if several else 1)]
    of_a_table = is_table and not several
    kinds = [kind for kind, facts in _receipts().items() if isinstance(facts["released"], list) == of_a_table]
    more = options(r, {**_INTERPRETING, **(_OF_TABLES if is_table else _OF_ONE)}, 0.3)
    for name in names:
        facts = _receipts()[r.choice(kinds if chance(r, 0.95) else list(_receipts()))]
        if facts["mechanism"] == "audited" and "--mechanism" not in more and chance(r, 0.8):
            more += ["--mechanism", "law.json"]
            files["law.json"] = _laws()[2][1]
        if isinstance(facts["released"], int) and chance(r, 0.5):
            facts = facts | {"released": r.randint(0, facts["maximum"])}
        for _ in range(r.choice((0, 0, 0, 1, 1, 2))):
            facts = _changed(r, facts)
        content = json.dumps(facts, indent=r.choice((None, 2))).encode()
        files[name] = mutated(r, content) if chance(r, 0.1) else content
    if "prior.csv" in more:
        lines = (
            "\n".join(number(r) for _ in range(4)),
            *("1\n1\n1\n", "1\n1\n1\n1\n", "count,weight\n0,1\n1,0.5\n", "0,1\n3,2\n", "1e99,1\n", ""),
        )
        files["prior.csv"] = r.choice(lines).encode("utf-8", "replace")
    if "m.json" in more:
        files["m.json"] = _mechanism_json(r)
    shown = r.random()
    if shown < 0.15:
        return Case(("report", *names, "--output", "page.html", *options(r, _SHOWN, 0.3)), files)
    if shown < 0.2:
        return Case(("plot", "table", names[0], "--output", "table.png", *options(r, _SHOWN, 0.3)), files)
    return Case(("interpret", *names, *more, *(["--cells"] if is_table else [])), files)


_SHOWN: dict[str, Callable[[Random], str] | None] = {"--level": level, "--together": None, "--title": nasty_text}


_INTERPRETING: dict[str, Callable[[Random], str] | None] = {
    "--level": level,
    "--json": None,
    "--mechanism": lambda r: among(r, "m.json"),
}
_OF_ONE: dict[str, Callable[[Random], str] | None] = {"--prior": lambda r: among(r, "uniform", "prior.csv")}
_OF_TABLES: dict[str, Callable[[Random], str] | None] = {
    "--together": None,
    "--output": lambda r: among(r, "out.csv", "out.csv", "out.txt", "r0.json"),
}


@cache
def _laws() -> tuple[tuple[bytes, bytes], ...]:
    """Saved mechanisms, matrices and chains, each as CSV and as JSON."""
    found = []
    several = SeveralPairs.of([("0.1", "0.1"), ("0.6", "0.01")])
    kinds: list[Mechanism] = [nearest(n, given) for n, given in ((0, "1"), (1, "0.5"), (3, "1"), (4, "1/3"))]
    kinds += [nearest(3, mu="0.5"), nearest(0, mu=1), nearest(4, several), within(3, several, 1)]
    with tempfile.TemporaryDirectory() as folder:
        for law in kinds:
            for name in ("m.csv", "m.json"):
                save_mechanism(law, os.path.join(folder, name), notes={"loss": "absolute"})
            found.append((Path(folder, "m.csv").read_bytes(), Path(folder, "m.json").read_bytes()))
    return tuple(found)


def _mechanism_json(r: Random) -> bytes:
    facts = json.loads(r.choice(_laws())[1])
    for _ in range(r.choice((0, 0, 1, 2))):
        facts = _changed(r, facts)
    content = json.dumps(facts).encode()
    return mutated(r, content) if chance(r, 0.2) else content


def _mechanism_csv(r: Random) -> bytes:
    content = r.choice(_laws())[0]
    if chance(r, 0.3):
        lines = content.split(b"\n")
        at = r.randrange(len(lines))
        lines[at:at] = r.choice(
            ([b"# note = x"], [b"# n = 3"], [b"#"], [b""], [b"# sha256 = 0"], [b"0,0,0,1"], [b"-inf"], [lines[at]])
        )
        content = b"\n".join(lines)
    return mutated(r, content) if chance(r, 0.6) else content


def mechanism_case(r: Random) -> Case:
    """A mechanism file, in every command that reads one."""
    kind = r.randrange(8)
    name = "m.csv" if kind > 5 else r.choice(("m.csv", "m.json"))
    files = {name: _mechanism_csv(r) if (name == "m.csv") != chance(r, 0.1) else _mechanism_json(r)}
    if kind < 4:
        n, claim = r.choice((("0", "1"), ("1", "0.6"), ("3", "1.0001"), ("4", "1"), (size(r, 4), epsilon(r))))
        known: dict[str, Callable[[Random], str] | None] = {"--delta": delta, "--json": None}
        known["--adjacency"] = lambda r: among(r, "add-remove")
        option = "--mu" if chance(r, 0.3) else "--epsilon"
        return Case(("explain", "--n", n, option, claim, "--mechanism", name, *options(r, known, 0.2)), files)
    if kind == 4:
        files["t.csv"] = b"x\n1\n2\n3\n"
        return Case(("release", "t.csv", "--where", "x = 1", "--epsilon", epsilon(r), "--mechanism", name), files)
    if kind == 5:
        output = r.choice(("out.txt", "out.txt", "out.svg"))
        return Case(("plot", "mechanism", "--matrix", name, "--output", output), files)
    return Case(("audit", name, *options(r, {**_AUDITING, **_OF_A_MATRIX}, 0.3)), files)


_AUDITING: dict[str, Callable[[Random], str] | None] = {
    "--epsilon": epsilon,
    "--delta": delta,
    "--distance": lambda r: r.choice(("1", "1", "2", count(r, 3))),
    "--json": None,
}
_OF_A_MATRIX: dict[str, Callable[[Random], str] | None] = {
    "--profile": lambda r: ",".join(r.choice((epsilon, epsilon, number))(r) for _ in range(r.randint(1, 3))),
    "--normalise": None,
}


def matrix_files(r: Random) -> dict[str, bytes]:
    """A matrix in some form; most are stochastic, some nearly."""
    height, width = r.randint(1, 4), r.randint(1, 4)
    entries = np.array([[_entry(r) for _ in range(width)] for _ in range(height)])
    if chance(r, 0.8):
        with np.errstate(all="ignore"):
            entries = entries / entries.sum(axis=1, keepdims=True)
    kind = r.random()
    if kind < 0.7:
        text = "\n".join(",".join(repr(x) if chance(r, 0.98) else number(r) for x in row) for row in entries.tolist())
        content = text.encode("utf-8", "replace")
        content = mutated(r, content) if chance(r, 0.3) else content
        return {"m.csv.gz": gzip.compress(content, mtime=0)} if chance(r, 0.05) else {"m.csv": content}
    buffer = io.BytesIO()
    if kind < 0.85:
        with np.errstate(all="ignore"):
            np.save(buffer, entries.astype(r.choice(("f8", "f4", "i8", "c16", ">f8", "U8", "?"))))
        return {"m.npy": mutated(r, buffer.getvalue()) if chance(r, 0.4) else buffer.getvalue()}
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({str(j): entries[:, j] for j in range(width)}), buffer)
    return {"m.parquet": mutated(r, buffer.getvalue()) if chance(r, 0.4) else buffer.getvalue()}


def _entry(r: Random) -> float:
    return r.choice(
        (0.0, 1.0, 0.5, 5e-324, 1e-300, 1e-17, 1e300, r.random(), r.random(), r.random(), 1.5099033134902129e-15)
    )


def audit_case(r: Random) -> Case:
    """A matrix, or a log of releases."""
    if chance(r, 0.6):
        files = matrix_files(r)
        return Case(("audit", *files, *options(r, {**_AUDITING, **_OF_A_MATRIX}, 0.3)), files)
    rows = r.choice((0, 1, 50, 400, 1000))
    text = r.choice(("", "", "true,released\n", "released,true\n"))
    text += "".join(f"{r.randint(0, 3)},{r.choice((0, 1, 2, 2, -5, 10**17))}\n" for _ in range(rows))
    content = text.encode()
    files = {"s.csv": mutated(r, content) if chance(r, 0.3) else content}
    return Case(("audit", "--samples", "s.csv", *options(r, {**_AUDITING, "--confidence": level}, 0.3)), files)

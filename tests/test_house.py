"""The plan of the house: which room lies below which, and that nothing in `src` runs against it.

A *room* is a folder or a file next to `hushcount/__init__.py`; an *arrow* is an import, wherever it stands: at the top,
inside a function or for type checkers only; a *circle* is a set of files that import one another. A name that is
imported from a room is followed through the room's stub to the file that defines it.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import hushcount

ORDER = [
    *("_version", "errors", "numbers", "inputs", "words", "files", "promise", "drawing", "linear_program"),
    *("mechanisms", "privacy", "saved", "optimal_set", "counting", "ledger", "release", "reading", "medium"),
    *("sweeps", "figures", "report", "plan", "paper", "cli", "__main__"),
]
"""Lowest first: a room imports from those before it and from itself."""

ORDER_OF_COUNTING = [
    *("faults", "predicate", "meaning", "declared", "engines", "sources", "cells", "judging", "tally"),
]
"""The same within counting, whose own files stand among its folders."""

CIRCLES: list[set[str]] = []
"""Files that may import one another: a class with its own text, and nothing else."""

MOST_FILES = 20
"""Of one folder, without its sub-folders."""

EXTRAS = {
    *("dask", "distributed", "dp_accounting", "fastexcel", "matplotlib", "pandas", "polars", "psycopg", "pyreadstat"),
    *("pyspark", "ray", "scipy"),
}
"""What need not be installed, so that it is imported where it is used."""

LOADED_LATE = {
    "duckdb",
    "highspy",
    "logging",
    "numpy",
    "pyarrow",
    "rich",
    "sqlglot",
}
"""What is always installed, and imported where it is used for the start-up: what does not need it starts sooner."""

START_UP = {
    "cli": "each command loads what it runs",
    "counting.engines.choice": "psycopg and pyspark are extras",
    "counting.sources.formats": "psycopg and pyspark are extras, and Parquet and DuckDB files need no pyarrow",
    "figures": "matplotlib is an extra, and what is drawn is loaded with it",
    "ledger.accounting": "audits and compositions are for tight budgets only",
    "ledger.location": "a ledger in a file loads nothing of PostgreSQL",
    "release.count": "a release without a ledger loads none",
    "release.law": "audits take long to load, and are for mechanisms that are brought along",
    "release.payment": "a release without a ledger loads none",
    "release.subject": "a release without a ledger loads none",
    "release.table": "a release without a ledger loads none",
    "sweeps.workers": "a sweep in one process loads no cluster",
}
"""Files, or all in a folder, that import other files of hushcount inside functions, and why: start-up."""

ROOT = Path(hushcount.__file__).parent


def dotted(path: Path) -> str:
    """`privacy/auditing.py` -> "privacy.auditing"; a folder's own file is called as the folder."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {dotted(path): path for path in sorted(ROOT.rglob("*.py"))}


@dataclass(frozen=True)
class Import:
    """One name imported by a file; `target` is a file of hushcount, or the package of somebody else."""

    file: str
    target: str
    is_own: bool
    is_inside: bool


@cache
def stub_of(folder: str) -> dict[str, tuple[str, str]]:
    """The names that a lazy room hands on: name -> (file, name there)."""
    path = FILES[folder].with_suffix(".pyi") if FILES[folder].name == "__init__.py" else None
    if path is None or not path.exists():
        return {}
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            home = ".".join(part for part in (folder, node.module) if part)
            found.update({alias.asname or alias.name: (home, alias.name) for alias in node.names})
    return found


def home_of(module: str, name: str) -> str:
    """The file that defines a name imported from a file or a room of hushcount."""
    if name in stub_of(module):
        return home_of(*stub_of(module)[name])
    file = ".".join(part for part in (module, name) if part)
    return file if file in FILES else module


def own(module: str) -> str:
    """ "hushcount.privacy" -> "privacy"."""
    return module.removeprefix("hushcount").removeprefix(".")


@cache
def imports() -> tuple[Import, ...]:
    return tuple(found for file, path in FILES.items() for found in imports_of(file, path))


def imports_of(file: str, path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        targets: list[tuple[str, bool]] = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            is_own = (node.module or "").split(".")[0] == "hushcount"
            names = [alias.name for alias in node.names]
            targets = [
                (home_of(own(node.module or ""), name) if is_own else node.module or "", is_own) for name in names
            ]
        elif isinstance(node, ast.Import):
            targets = [
                (own(alias.name), True) if own(alias.name) != alias.name else (alias.name, False)
                for alias in node.names
            ]
        for target, is_own in targets:
            yield Import(file, target if is_own else target.split(".")[0], is_own, id(node) in inside)


def room(file: str) -> str:
    return file.split(".", maxsplit=1)[0]


def circles() -> list[set[str]]:
    """The sets of files that reach one another, by Tarjan's algorithm."""
    graph: dict[str, set[str]] = defaultdict(set)
    for found in imports():
        if found.is_own and found.target != found.file:
            graph[found.file].add(found.target)
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    result: list[set[str]] = []

    def visit(file: str) -> None:
        number[file] = low[file] = len(number)
        path.append(file)
        for target in sorted(graph[file]):
            if target not in number:
                visit(target)
                low[file] = min(low[file], low[target])
            elif target in path:
                low[file] = min(low[file], number[target])
        if low[file] == number[file]:
            circle = set(path[path.index(file) :])
            del path[path.index(file) :]
            if len(circle) > 1:
                result.append(circle)

    for file in FILES:
        if file not in number:
            visit(file)
    return result


def test_every_room_has_its_place() -> None:
    assert {room(file) for file in FILES if file} == set(ORDER)
    assert len(ORDER) == len(set(ORDER))


def test_no_arrow_runs_back() -> None:
    arrows = {(found.file, found.target) for found in imports() if found.is_own and found.file and found.target}
    assert len(arrows) > 1000
    back = {(file, target) for file, target in arrows if ORDER.index(room(target)) > ORDER.index(room(file))}
    assert back == set()


def test_no_arrow_of_counting_runs_back() -> None:
    arrows = {
        (file.split(".")[1], target.split(".")[1])
        for file, target in {(found.file, found.target) for found in imports() if found.is_own}
        if file.startswith("counting.") and target.startswith("counting.")
    }
    order = ORDER_OF_COUNTING
    assert {name for arrow in arrows for name in arrow} == set(order)
    assert {arrow for arrow in arrows if order.index(arrow[1]) > order.index(arrow[0])} == set()


def test_the_root_is_imported_by_nobody() -> None:
    """`from hushcount import x` would draw an arrow to everything."""
    assert {found.file for found in imports() if found.is_own and not found.target} == set()


def test_no_files_import_one_another() -> None:
    found = circles()
    assert [sorted(circle) for circle in found if circle not in CIRCLES] == []
    assert [sorted(circle) for circle in CIRCLES if circle not in found] == []


def test_circles_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "d")]
    monkeypatch.setitem(globals(), "imports", lambda: [Import(file, to, True, False) for file, to in drawn])
    monkeypatch.setitem(globals(), "FILES", dict.fromkeys("abcd"))
    assert circles() == [{"b", "c"}]


def test_no_folder_is_too_full() -> None:
    counts: dict[str, int] = defaultdict(int)
    for path in FILES.values():
        counts[str(path.parent.relative_to(ROOT))] += path.name != "__init__.py"
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_every_import_inside_a_function_has_its_reason() -> None:
    """Of somebody else's package: it is an extra, or loaded late; of a file of our own: start-up."""
    inside = [found for found in imports() if found.is_inside]
    others = {found.target for found in inside if not found.is_own}
    assert others - EXTRAS == LOADED_LATE
    ours = {found.file for found in inside if found.is_own}
    assert {file for file in ours if not any(is_in(file, place) for place in START_UP)} == set()
    assert [place for place in START_UP if not any(is_in(file, place) for file in ours)] == []


def is_in(file: str, place: str) -> bool:
    return f"{file}.".startswith(f"{place}.")


def test_no_lazy_name_is_that_of_a_file() -> None:
    """Python binds an imported file to its name in the folder, where the lazy name would then not be looked up."""
    shadowed = {
        (folder, name)
        for folder in FILES
        for name in stub_of(folder)
        if ".".join(filter(None, (folder, name))) in FILES
    }
    assert shadowed == set()

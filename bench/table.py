"""The result table, and the machine that it holds for, as Markdown."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rows import NONE, Row

__all__ = ["Outcome", "page", "written_between"]

BEGIN, END = "<!-- results: written by make bench -->", "<!-- end of results -->"
COLUMNS = ["case", "hushcount", "peer", "peer's time", "hushcount / peer", "target", "met"]
PACKAGES = [
    "hushcount",
    "numpy",
    "python-flint",
    "highspy",
    "cvxpy",
    "duckdb",
    "sqlglot",
    "pyarrow",
    "pandas",
    "polars",
    "fastexcel",
    "pyreadstat",
    "psycopg",
    "typer",
    "pydantic",
    "opendp",
    "python-dp",
    "pipeline-dp",
    "diffprivlib",
    "scikit-learn",
    "pytest-benchmark",
]
LONGEST_REASON = 120


@dataclass(frozen=True)
class Outcome:
    """What a run left.

    Attributes:
        measured: the JSON of pytest-benchmark; empty if it wrote none.
        troubles: of each test, or file of tests, that was not measured: its pytest id and why.
    """

    measured: Mapping[str, Any]
    troubles: Mapping[str, str]

    @property
    def rows(self) -> list[Row]:
        cases = self.measured.get("benchmarks", ())
        return [Row(**row) for case in cases for row in case["extra_info"].get("rows", ())]


def page(outcome: Outcome) -> str:
    """Verdict, table and machine."""
    rows, troubles = outcome.rows, outcome.troubles
    met = [row.met for row in rows if row.met is not None]
    verdict = f"{sum(met)} of {len(met)} measured targets met; {len(troubles)} cases not measured."
    lines = [verdict, "", _line(COLUMNS), _line(["---"] * len(COLUMNS))]
    lines += [_line(row.cells()) for row in rows]
    lines += [_line([_case(node), _reason(why), *[NONE] * 4, "**not measured**"]) for node, why in troubles.items()]
    return "\n".join([*lines, "", *_machine(outcome.measured)])


def written_between(text: str, inside: str) -> str:
    """`text` with what stands between the two marks replaced."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"README.md has lost its marks {BEGIN} and {END}")
    return f"{head}{BEGIN}\n\n{inside}\n\n{END}{tail}"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _case(node: str) -> str:
    return node.rpartition("/")[2]


def _reason(why: str) -> str:
    first = next(iter(why.strip().splitlines()), "no reason given")
    without_folders = re.sub(r"(?<![\w.])/(?:[^/\s'\"]+/)+", "", first)
    return without_folders[:LONGEST_REASON]


def _machine(measured: Mapping[str, Any]) -> list[str]:
    processor = measured.get("machine_info", {}).get("cpu", {}).get("brand_raw") or platform.processor() or "unknown"
    packages = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    return [
        f"- Measured on {date.today().isoformat()} on {platform.system()} {platform.machine()}, "
        f"processor {processor}, {os.cpu_count()} cores.",
        f"- {platform.python_implementation()} {platform.python_version()}, {packages}.",
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"

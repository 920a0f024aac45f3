"""docs/paper-map.md: where each statement of the paper lives in the code."""

from __future__ import annotations

import re
from textwrap import fill

from hushcount.paper.registry import paper_statements
from hushcount.paper.statement import Statement

__all__ = ["paper_map"]

_HEAD = """# From the paper to the code

This page is generated (`make docs`) from `src/hushcount/paper`. It says where each statement of [RV26]
([bibliography.md](bibliography.md)) is implemented, and which tests check the implementation against it.
`hushcount paper` checks each statement, as it is written here, against independent computations over a grid of
parameters, and draws the two figures.

Outcomes are numbered 1..M here, as in the paper; q = e^-epsilon, k = e^epsilon, gamma(A) is the least diagonal entry of
A.

| statement | what it says | implemented by | tested by |
|---|---|---|---|
"""

_ERRATA = """
## What has to be read differently

"Printed" is what the copy of the paper says that this page was written from; a slip in an index or a digit may be in
that copy alone. `hushcount paper` shows a counterexample to each.

| statement | printed | correction |
|---|---|---|
"""


def paper_map() -> str:
    """Return the page, in Markdown."""
    statements = paper_statements()
    rows = "".join(_row(statement) for statement in statements)
    errata = "".join(
        f"| {' | '.join(map(_escaped, (statement.name, statement.erratum.printed, statement.erratum.correction)))} |\n"
        for statement in statements
        if statement.erratum is not None
    )
    remarks = "".join(f"- **{_escaped(each.name)}** {_escaped(each.remark)}\n" for each in statements if each.remark)
    return f"{_HEAD}{rows}{_ERRATA}{errata}\n## Remarks\n\n{_wrapped(remarks)}"


def _wrapped(items: str) -> str:
    """Wrap items of a list, but never before a sign, which would begin another list there."""
    held = [re.sub(" (?=[-+] )", "\0", item) for item in items.splitlines()]
    return "".join(f"{fill(item, 120, subsequent_indent='  ', break_on_hyphens=False)}\n" for item in held).replace(
        "\0", " "
    )


def _row(statement: Statement) -> str:
    name = f"**{_escaped(statement.name)}**, {_escaped(statement.locator)}"
    formula = statement.formula.replace("|", "\\|")  # the only character in code that Markdown gives to a table
    said = f"`{formula}`" + (" (corrected)" if statement.erratum is not None else "")
    code = ", ".join(f"`{each}`" for each in statement.implemented_by)
    return f"| {name} | {said} | {code} | {', '.join(map(_test, statement.tested_by))} |\n"


def _test(path: str) -> str:
    """Return a link to the file, by the name of the test."""
    file, _, name = path.partition("::")
    return f"[{name}](../{file})"


def _escaped(text: str) -> str:
    """Return the text as Markdown shows it literally."""
    for character in "\\|*_[]<":
        text = text.replace(character, f"\\{character}")
    return text

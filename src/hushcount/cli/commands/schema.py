"""`hushcount schema`: the form of a receipt, for programs that read one."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import QUESTION
from hushcount.errors import InvalidParameter

__all__ = ["schema"]


def schema(
    kind: Annotated[
        str, QUESTION.argument(metavar="count|table", help="The kind of release.", show_default=False)
    ] = "count",
) -> str:
    """Print the JSON schema of a receipt.

    A receipt is what "hushcount release --json" prints and "--output" writes; that of a table is what "hushcount table
    --json" prints and "--receipt" writes.

    Example: hushcount schema table
    """
    if kind == "table":
        from hushcount.release.table.receipt import schema_text as table_schema_text

        return table_schema_text()
    if kind != "count":
        raise InvalidParameter("kind", kind, "count or table")
    from hushcount.release.receipt import schema_text

    return schema_text()

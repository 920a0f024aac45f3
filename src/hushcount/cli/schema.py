"""`hushcount schema`: what a receipt looks like, for programs that read one."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["schema"]


def schema(
    table: Annotated[bool, typer.Option("--table", help="That of a table's receipt instead of a count's.")] = False,
) -> str:
    """Print the JSON schema of a receipt.

    A receipt is what "hushcount release --json" prints and "--output" writes; that of a table is what "hushcount table
    --json" prints and "--receipt" writes.
    """
    if table:
        from hushcount.release.table_receipt import schema_text as table_schema_text

        return table_schema_text()
    from hushcount.release.receipt import schema_text

    return schema_text()

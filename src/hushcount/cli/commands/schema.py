"""`hushcount schema`: the form of a receipt, for programs that read one, and of a plan, for editors."""

from __future__ import annotations

from typing import Annotated

from hushcount.cli.options.groups import QUESTION
from hushcount.errors import InvalidParameter

__all__ = ["schema"]


def schema(
    kind: Annotated[
        str, QUESTION.argument(metavar="count|table|plan", help="The kind of release, or a plan.", show_default=False)
    ] = "count",
) -> str:
    """Print the JSON schema of a receipt or of a plan.

    A receipt is what "hushcount release --json" prints and "--output" writes; that of a table is what "hushcount table
    --json" prints and "--receipt" writes. A plan is what "hushcount plan" takes, in TOML.

    Example: hushcount schema table
    """
    if kind == "table":
        from hushcount.release.table.receipt import schema_text as table_schema_text

        return table_schema_text()
    if kind == "plan":
        from hushcount.plan.document import schema_text as plan_schema_text

        return plan_schema_text()
    if kind != "count":
        raise InvalidParameter("kind", kind, "count, table or plan")
    from hushcount.release.receipt import schema_text

    return schema_text()

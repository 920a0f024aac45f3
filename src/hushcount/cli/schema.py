"""`hushcount schema`: what a receipt looks like, for programs that read one."""

from __future__ import annotations

__all__ = ["schema"]


def schema() -> str:
    """Print the JSON schema of a receipt.

    A receipt is what "hushcount release --json" prints and "--output" writes.
    """
    from hushcount.release.receipt import schema_text

    return schema_text()

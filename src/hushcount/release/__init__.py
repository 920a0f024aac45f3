"""Release: from a source and a question to a private count and its receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hushcount.release.count import release_count
    from hushcount.release.receipt import Receipt
    from hushcount.release.session import Session

__all__ = ["Receipt", "Session", "release_count"]


def __getattr__(name: str) -> object:
    # Late, so that the words and figures of a release are there without the libraries that read data or keep a ledger.
    if name == "release_count":
        from hushcount.release.count import release_count

        return release_count
    if name == "Receipt":
        from hushcount.release.receipt import Receipt

        return Receipt
    if name == "Session":
        from hushcount.release.session import Session

        return Session
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Addresses that may hold a user or a password, and how to speak of them without."""

from __future__ import annotations

import re

__all__ = ["may_hold_secret", "without_credentials"]

_SECRET = re.compile(r"(?i)://|password\s*=|:.*@", re.DOTALL)


def may_hold_secret(text: str) -> bool:
    """Whether `text`, given as a place, looks like an address or like what libpq reads, which may hold a password."""
    return _SECRET.search(text) is not None


def without_credentials(text: str) -> str:
    """`text` with what may be a user, password or option taken out of a URL in it; rather too much than too little."""
    return re.sub(r"(\w://)(?:.*@)?([^?\s]*)(?:\?\S*)?", r"\1\2", text, flags=re.DOTALL)

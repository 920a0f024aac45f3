"""Addresses: which texts are one, which may hold a user or a password, and how to show them without."""

from __future__ import annotations

import re

__all__ = [
    "has_no_credentials",
    "is_address",
    "is_encoded",
    "is_shown_address",
    "may_hold_secret",
    "postgresql_url",
    "without_credentials",
]

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
_POSTGRESQL = re.compile(r"(?i:postgres(?:ql)?(?:\+psycopg)?)://")
_SECRET = re.compile(r"(?i)://|password\s*=|:.*@", re.DOTALL)
_ADDRESS = re.compile(r"(?:.*:)?[A-Za-z][A-Za-z0-9+.-]+:/", re.DOTALL)
_ENCODED = re.compile(r"postgresql://([^@/?]*@)?[^@/?]*(/[^@?]*)?(\?[^@]*)?", re.DOTALL)
_REMOTE = re.compile(rf"{_SCHEME}[^/@?#\s]*(/[^@?#\s]*)?")
_SHOWN = re.compile(rf"(postgresql://[^/@?#\s]*/[^/@?#\s]+|spark:{_SCHEME}[^@?#\s]+)")


def postgresql_url(text: str) -> str | None:
    """Return `text` as a URL that libpq reads, if it names a PostgreSQL database in any of the usual spellings."""
    found = _POSTGRESQL.match(text)
    return None if found is None else f"postgresql://{text[found.end() :]}"


def is_encoded(url: str) -> bool:
    """Return whether libpq reads a `postgresql_url` as a reader would.

    Otherwise a part of a password with a raw `@` or `/` would be taken for a host, and shown.
    """
    return "\0" not in url and _ENCODED.fullmatch(url) is not None


def has_no_credentials(address: str) -> bool:
    """Return whether it is an address without user, password, query or fragment."""
    return _REMOTE.fullmatch(address) is not None


def is_shown_address(text: str) -> bool:
    """Return whether `text` is an address as receipts call a source."""
    return _SHOWN.fullmatch(text) is not None


def may_hold_secret(text: str) -> bool:
    """Return whether `text`, given as a place, looks like an address or like what libpq reads, and so may hold a
    password."""
    return _SECRET.search(text) is not None


def is_address(text: str) -> bool:
    """Return whether `text`, given as a file, looks like an address or may hold a secret."""
    return _ADDRESS.match(text) is not None or may_hold_secret(text)


def without_credentials(text: str) -> str:
    """Return `text` with anything that may be a user, password or option removed from a URL in it; too much rather
    than too little."""
    return re.sub(r"(\w://)(?:.*@)?([^?\s]*)(?:\?\S*)?", r"\1\2", text, flags=re.DOTALL)

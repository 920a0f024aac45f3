"""Where a ledger is: the name of a file, or a URL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.inputs.addresses import may_hold_secret
from hushcount.inputs.arguments import path_text

if TYPE_CHECKING:
    from hushcount.ledger.store import Store

__all__ = ["Location", "store_at"]

Location = str | os.PathLike[str]
"""The name of a SQLite file, `sqlite:///FILE`, or `postgresql://HOST/DATABASE`."""

_RULE = "the name of a file, or a URL such as postgresql://host/database"


def store_at(location: Location) -> Store:
    """Return the store that `location` names; nothing is opened yet.

    Raises:
        InvalidParameter: neither a file name nor a URL of a database that can hold a ledger; it is not repeated, since
            it may hold a password.
        BadUse: it is in PostgreSQL, and psycopg is not installed.
    """
    from hushcount.ledger.sqlite.store import SqliteStore

    place = path_text(location, "ledger")
    if not place or "\0" in place:
        raise InvalidParameter("ledger", None, _RULE)
    if "://" not in place:
        if may_hold_secret(place) and not os.path.exists(place):
            raise InvalidParameter("ledger", None, _RULE)
        return SqliteStore(place)
    file = place.removeprefix("sqlite:///")
    if file not in ("", place) and "?" not in file:
        return SqliteStore(file)
    return _postgresql(place)


def _postgresql(url: str) -> Store:
    from hushcount.counting.declared.place import place_of

    try:
        place = place_of(url)
        if place.kind == "postgresql":
            from hushcount.ledger.postgresql_store import PostgresqlStore

            return PostgresqlStore(place)
    except (BadData, InvalidParameter):
        pass
    except BadUse:
        raise BadUse("a ledger in PostgreSQL needs the package psycopg: pip install 'hushcount[postgresql]'") from None
    raise InvalidParameter("ledger", None, _RULE)

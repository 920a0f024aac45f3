"""Where a source is: a file, a PostgreSQL database, or Spark; and how to speak of it without its credentials."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hushcount.errors import BadData, BadUse, InvalidParameter
from hushcount.inputs.addresses import has_no_credentials, is_address, is_encoded, postgresql_url
from hushcount.inputs.arguments import path_text

__all__ = ["Place", "place_of", "with_credentials"]

_SPARK = re.compile("(?i:spark):")
_PORT = "5432"


@dataclass(frozen=True)
class Place:
    """A source, named but not opened.

    Attributes:
        kind: "file", "postgresql" or "spark".
        text: what opens it: a path, a URL with its credentials, or what follows `spark:`.
        shown: what errors call it.
        name: what receipts call it: a file by its name without folder, an address without credentials.
        identity: as much as tells it from all others, without credentials; hashed only, never shown.
    """

    kind: str
    text: str = field(repr=False)
    shown: str
    name: str
    identity: str = field(repr=False)

    @property
    def sha256(self) -> str:
        """The hash of `identity`, by which ledgers know it; it tells files of one name apart, and no folder."""
        return sha256(os.fsencode(self.identity)).hexdigest()

    @property
    def path(self) -> str | None:
        """The file or folder of this machine that it is; None for a database, a table, or what is elsewhere."""
        if self.kind == "spark":
            text = self.text.removeprefix("file://")
            return text if "/" in text and "://" not in text else None
        return self.text if self.kind == "file" else None

    def is_file(self, path: str | os.PathLike[str]) -> bool:
        """Whether it is the file of that name, by whatever way."""
        try:
            return self.kind == "file" and os.path.samefile(self.text, path)
        except (OSError, ValueError):  # one of them does not exist, or is no path
            return False


def place_of(source: str | os.PathLike[str] | Place) -> Place:
    """The place that `source` spells; a `Path`, or a path such as `./spark:x`, is always one of a file.

    Raises:
        InvalidParameter: the address of no database or table; it is not repeated, for it may hold a password.
        BadData: an address of another kind, which is not repeated either.
        BadUse: PostgreSQL, and psycopg is not installed.
    """
    if isinstance(source, Place):
        return source
    text = path_text(source, "source")
    if isinstance(source, str) and (url := postgresql_url(text)):
        return _postgresql(url)
    if isinstance(source, str) and _SPARK.match(text):
        return _spark(text.partition(":")[2])
    if is_address(text) and not os.path.exists(text):
        raise BadData(
            "the source is an address; only local files, postgresql://host/database and spark: can be a source"
        )
    # A receipt is UTF-8; a file name on disk need not be
    name = Path(text).name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return Place("file", text, text, name, os.path.realpath(text) if "\0" not in text else text)


def with_credentials(place: Place, asked: Place) -> Place:
    """A database in PostgreSQL, opened by the user and password of an address of it that somebody else gave.

    Raises:
        InvalidParameter: the address says more, and so could settle where the database is, or what is an error there.
    """
    import psycopg

    given = psycopg.conninfo.conninfo_to_dict(asked.text)
    more = sorted(given.keys() - {"host", "port", "dbname", "user", "password"})
    if more:
        # The names are those of libpq, and no secrets
        rule = f"without {', '.join(more)}: of a listed database, an address may add user and password only"
        raise InvalidParameter("source", None, rule)
    added = {name: str(given[name]) for name in ("user", "password") if given.get(name)}
    return replace(place, text=psycopg.conninfo.make_conninfo(place.text, **added)) if added else place


def _postgresql(url: str) -> Place:
    try:
        import psycopg
    except ImportError:
        raise BadUse("a source in PostgreSQL needs the package psycopg: pip install 'hushcount[postgresql]'") from None
    rule = "a URL such as postgresql://host/database, with everything unusual in it percent-encoded"
    failed = not is_encoded(url)
    try:
        given: dict[str, Any] = {} if failed else dict(psycopg.conninfo.conninfo_to_dict(url))
        # What PGHOST, PGDATABASE or PGSERVICE say where the URL does not
        usual = {} if failed else {item.keyword.decode(): item.val for item in psycopg.pq.Conninfo.get_defaults()}
    except (psycopg.Error, UnicodeError):
        failed = True
    if failed:
        raise InvalidParameter("source", None, rule)
    if given.get("service"):
        raise InvalidParameter("source", None, "a URL that names no service; say it in PGSERVICE")
    found = {name: given.get(name) or (usual[name] or b"").decode() for name in ("host", "port", "dbname")}
    if not found["dbname"]:
        raise InvalidParameter("source", None, "a URL that names a database, such as postgresql://host/database")
    hosts = str(found["host"] or given.get("hostaddr") or "").lower().split(",")
    ports = str(found["port"] or "").split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    if any("@" in host[1:] for host in hosts) or not all(port.isdecimal() for port in ports if port):
        raise InvalidParameter("source", None, rule)
    at = ",".join(_shown_host(host, port) for host, port in zip(hosts, ports, strict=False))
    shown = f"postgresql://{at}/{quote(str(found['dbname']), safe='')}"
    return Place("postgresql", url, shown, shown, shown)


def _shown_host(host: str, port: str) -> str:
    host = quote(host, safe=":")
    return host if port in ("", _PORT) else f"{f'[{host}]' if ':' in host else host}:{quote(port)}"


def _spark(text: str) -> Place:
    text = text.rstrip("/") if text.strip("/") else text
    is_path = "/" in text and "://" not in text
    if "://" in text and not has_no_credentials(text):
        rule = "an address without user, password and query, such as spark:s3a://bucket/folder"
        raise InvalidParameter("source", None, rule)
    if not text or ("://" not in text and not text.isprintable()):
        raise InvalidParameter("source", None, "spark: and a table, or the path of a folder of Parquet files")
    shown = f"spark:{text}"
    name, identity = (Path(text).name, os.path.realpath(text)) if is_path else (text, text)
    return Place("spark", text, shown, f"spark:{name}", f"spark:{identity}")

"""Where a source is: in one or several files, in a PostgreSQL database, or in Spark; or the data themselves, which come
with a question. And how to show it without its credentials."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from hushcount.errors import BadData, BadUse, InvalidParameter, type_of
from hushcount.files.data_files import fixed_part
from hushcount.inputs.addresses import has_no_credentials, is_address, is_encoded, postgresql_url
from hushcount.inputs.arguments import path_text

__all__ = ["NAMED", "NOT_ONCE", "Frame", "Place", "SourceLike", "place_of", "with_credentials"]

NAMED = "name:"
"""What the identity of data without a path begins with; their name follows, if they have one."""

_SPARK = re.compile("(?i:spark):")
_FILES = re.compile("(?i:files):")
_PORT = "5432"
NOT_ONCE = "a table: this gives its rows only once, and the next count would find none; read it into a table first"
"""The rule for a frame."""


class Frame(Protocol):
    """A table in memory that gives itself through the Arrow PyCapsule interface: of pandas, polars, pyarrow, DuckDB,
    Ibis, and others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule with a stream of all rows."""


SourceLike = str | os.PathLike[str] | Frame
"""What can be given as a source: a path, an address, or the data themselves."""


@dataclass(frozen=True)
class Place:
    """A source, named but not opened.

    Attributes:
        kind: "file", "files", "postgresql", "spark" or "frame"; or "named" for data that are not here, since they come
            with a question.
        text: what opens it: a path, a URL with its credentials, or what follows `spark:` or `files:`; empty where
            nothing does.
        shown: its name in errors.
        name: its name in receipts: a file's name without folder, an address without credentials.
        identity: what tells it from all others, without credentials; only hashed, never shown.
    """

    kind: str
    text: str = field(repr=False)
    shown: str
    name: str
    identity: str = field(repr=False)
    frame: Any = field(default=None, repr=False, compare=False)
    """The data themselves, of a frame."""

    @property
    def sha256(self) -> str:
        """Return the hash of `identity`, by which ledgers know it; it distinguishes files with the same name, and
        shows no folder."""
        return sha256(os.fsencode(self.identity)).hexdigest()

    @property
    def is_named(self) -> bool:
        """Whether its data have no path that stays, so that nothing but a name can tell it from others."""
        return self.identity.startswith(NAMED)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The absolute paths, patterns and folders of several files."""
        return tuple(os.path.abspath(part) for part in self.text.split(os.pathsep))

    @property
    def paths(self) -> tuple[str, ...]:
        """The files or folders of this machine that it is; none for a database, a table, or what is elsewhere.

        Of a pattern it is the folder in which it looks, since a new file there may be a part of it.
        """
        if self.kind == "spark":
            text = self.text.removeprefix("file://")
            return (text,) if "/" in text and "://" not in text else ()
        if self.kind == "files":
            return tuple(map(fixed_part, self.patterns))
        return (self.text,) if self.kind == "file" else ()

    def is_file(self, path: str | os.PathLike[str]) -> bool:
        """Return whether it is the file of that name, by any path."""
        try:
            return self.kind == "file" and os.path.samefile(self.text, path)
        except (OSError, ValueError):  # one of them does not exist, or is not a path
            return False


def place_of(source: SourceLike | Place) -> Place:
    """Return the place that `source` spells, or is; a `Path`, or a path such as `./spark:x`, is always one of a file.

    Raises:
        InvalidParameter: the address is that of no database or table; it is not repeated, since it may hold a password.
        BadData: an address of another kind, which is not repeated either.
        BadUse: it is in PostgreSQL, and psycopg is not installed; or it is a stream.
    """
    if isinstance(source, Place):
        return source
    if hasattr(type(source), "__arrow_c_stream__"):
        if isinstance(source, Iterator):
            raise InvalidParameter("source", type_of(source), NOT_ONCE)
        if hasattr(type(source), "to_frame") or hasattr(type(source), "num_chunks"):
            rule = "a table; of one column, give column.to_frame(), or pyarrow.table({'name': column})"
            raise InvalidParameter("source", type_of(source), rule)
        return Place("frame", "", "a frame", "a frame", NAMED, source)
    if not isinstance(source, (str, os.PathLike)):
        rule = "the path of a file, an address, or a frame (whatever has __arrow_c_stream__)"
        raise InvalidParameter("source", type_of(source), f"{rule}{_as_frame(source)}")
    text = path_text(source, "source")
    if isinstance(source, str) and (url := postgresql_url(text)):
        return _postgresql(url)
    if isinstance(source, str) and _SPARK.match(text):
        return _spark(text.partition(":")[2])
    if isinstance(source, str) and _FILES.match(text):
        return _files(text.partition(":")[2])
    if is_address(text) and not os.path.exists(text):
        raise BadData(
            "the source is an address; only local files, postgresql://host/database and spark: can be a source"
        )
    return Place("file", text, text, _name(text), os.path.realpath(text) if "\0" not in text else text)


def _as_frame(source: object) -> str:
    """Return what to say of an object that a frame can be made of; only its type has a say in it."""
    if isinstance(source, Mapping):
        return "; of lists by name, pyarrow.table(source) makes one"
    if isinstance(source, (list, tuple)):
        return "; of a list of dicts, pyarrow.Table.from_pylist(source) makes one"
    made = next((name for name in ("toArrow", "compute", "collect") if hasattr(type(source), name)), None)
    return "" if made is None else f"; source.{made}() makes one"


def _name(path: str) -> str:
    """Return the name of a file without its folder; a receipt is UTF-8, and a file name on disk need not be."""
    return Path(path).name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _files(text: str) -> Place:
    parts = text.split(os.pathsep)
    if not all(parts) or not text.isprintable():
        rule = f"files: and a pattern, a folder, or several paths with {os.pathsep} between them"
        raise InvalidParameter("source", None, rule)
    # What a pattern matches may change, so what it is lies in its words
    real = [
        os.path.join(os.path.realpath(fixed), path[len(fixed) :].lstrip(os.sep)).rstrip(os.sep)
        for path in map(os.path.abspath, parts)
        for fixed in (fixed_part(path),)
    ]
    name = os.pathsep.join(map(_name, parts))
    return Place("files", text, f"files:{text}", f"files:{name}", f"files:{os.pathsep.join(real)}")


def with_credentials(place: Place, asked: Place) -> Place:
    """Return a database in PostgreSQL, opened with the user and password of another address for it.

    Raises:
        InvalidParameter: the address says more, and so could decide where the database is, or what is an error there.
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

"""A source that a budget's owner lists: where it is, how it is read, whom a row belongs to, and the types of its
columns.

Otherwise whoever asks could choose what decides an error: a spelling for missing values, a pinned type, a column of
units. So all of it is settled once, by the owner, and every question about the source is judged by that alone. There is
no hash of the data in it, and no value.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from hushcount.counting import ReadOptions, Schema
from hushcount.counting.declared.place import NAMED, Place, place_of
from hushcount.counting.declared.units import Unit
from hushcount.ledger.protected import ROW
from hushcount.ledger.question import Question, canonical_json
from hushcount.words.paragraphs import row
from hushcount.words.printable import printable
from hushcount.words.tables import aligned

__all__ = ["ListedSource", "Stamp", "address_of", "not_listed_yet", "stamp_of"]

_SCHEMES = {"spark": "spark:", "files": "files:"}
"""What the address of a place begins with, by its kind; that of one file is its path."""

_BESIDE = "./"

Stamp = tuple[int, int]
"""The size of a file in bytes, and the time of its last change in nanoseconds."""


@dataclass(frozen=True)
class ListedSource:
    """One entry of a budget's list.

    Attributes:
        name: its name in receipts and errors: a file without its folder, an address without credentials.
        address: where it is, without credentials. A path that begins with `./` is relative to the folder of the ledger,
            so that both can be mounted or moved together. Several files are the patterns and folders that name them.
            Data without a path are at `name:` and their name.
        path_sha256: the hash of the full path, or address, that it had when it was listed; questions know it by this.
        options: how it is read, with its table if it holds several.
        unit: whom a row belongs to; None where each row stands for itself.
        schema: the type of every column.
        stamp: the stamp of the file when it was read; None for what is not a file, or may change without a new stamp.
    """

    name: str
    address: str
    path_sha256: str
    options: ReadOptions
    unit: Unit | None
    schema: Schema
    stamp: Stamp | None

    @property
    def key(self) -> str:
        """A hash that no other source of a list has."""
        return sha256(canonical_json([self.path_sha256, self.options.table]).encode("ascii")).hexdigest()

    @property
    def is_named(self) -> bool:
        """Whether it is known by its name alone, and its data come with each question."""
        return self.address.startswith(NAMED)

    def place(self, folder: Path | None) -> Place:
        """Return where it is, for a ledger in `folder`; errors call it by its name alone."""
        if self.is_named:
            return Place("named", "", self.name, self.name, self.address)
        kind = next((kind for kind, scheme in _SCHEMES.items() if self.address.startswith(scheme)), "file")
        scheme = _SCHEMES.get(kind, "")
        parts = self.address.removeprefix(scheme).split(os.pathsep if kind == "files" else "\0")
        paths = [str(folder / path) if path.startswith(_BESIDE) and folder is not None else path for path in parts]
        if not all(path.startswith("/") for path in paths):
            return place_of(self.address)
        if kind == "files":
            place = place_of(scheme + os.pathsep.join(paths))
            return replace(place, shown=self.name, name=self.name)
        return Place(kind, paths[0], self.name, self.name, f"{scheme}{os.path.realpath(paths[0])}")

    def is_like(self, other: ListedSource) -> bool:
        """Return whether both may be one table of one place, which has only one reading."""
        tables = {self.options.table, other.options.table}
        is_one_place = self.path_sha256 == other.path_sha256 or self.address == other.address
        return is_one_place and (len(tables) == 1 or None in tables)

    def is_at(self, place: Place, folder: Path | None) -> bool:
        """Return whether it is what `place` names, by any path.

        The name it was listed under may be another file by now, if the folder of the ledger was moved.
        """
        ours = self.place(folder)
        return ours.identity == place.identity or (ours.kind == place.kind and ours.is_file(place.text))

    def about(self) -> dict[str, Any]:
        """Return what a question says of it; see `Question.about`."""
        return about(self.name, self.path_sha256, self.options, self.unit)

    def is_asked_by(self, question: Question) -> bool:
        """Return whether a question is about it, read as it is listed; how many rows of a unit count is asked."""
        ours, asked = self.about(), dict(question.about)
        if isinstance(asked.get("unit"), dict):
            asked["unit"] = {name: value for name, value in asked["unit"].items() if name != "rows_per_unit"}
        return all(asked.get(part) == ours.get(part) for part in ("path_sha256", "table", "reading", "unit"))

    def to_dict(self) -> dict[str, Any]:
        """Return what is shown of it, ready for JSON: all but the stamp, since the size of a file says something
        about its rows."""
        return {
            "name": self.name,
            "address": self.address,
            "path_sha256": self.path_sha256,
            "options": self.options.to_dict(),
            "unit": None if self.unit is None else self.unit.to_fields(),
            "columns": self.schema.to_dict(),
        }

    @property
    def full_name(self) -> str:
        """Its name, with its table if it holds several."""
        return self.name if self.options.table is None else f"{self.options.table} in {self.name}"

    def telling(self, protects: str) -> str:
        """Return, in words, how it tells one of whom the budget protects, such as a person, from another."""
        one = "one" if protects == ROW else f"one {protects}"
        if self.unit is None:
            return f"one row is {one}"
        rest = f"; rows without it are {one} too" if self.unit.without == "one-unit" else ""
        return f"rows with the same {self.unit.column} are {one}{rest}"

    def to_text(self, protects: str) -> str:
        """Return all that the list says of it, in lines, without a newline at the end. `protects` is that of
        `telling`."""
        usual = dict(ReadOptions().pairs())
        reading = [(name, value) for name, value in self.options.pairs() if name != "table" and value != usual[name]]
        columns = [(printable(column.name), printable(column.in_words)) for column in self.schema.columns]
        return "\n".join(
            [
                row("Source", printable(self.full_name)),
                row("Counted", printable(self.telling(protects))),
                *(row("Reading", f"{name}: {printable(value)}") for name, value in reading),
                "Columns",
                *(f"  {line}" for line in aligned(columns)),
            ]
        )

    def to_body(self) -> str:
        """Return it as an entry keeps it."""
        return canonical_json({**self.to_dict(), "stamp": self.stamp})

    @classmethod
    def from_body(cls, body: str) -> ListedSource:
        """Return the source that `to_body` spelled.

        Raises:
            UNREADABLE: it did not spell that.
        """
        parts = json.loads(body)
        stamp = parts["stamp"]
        found = cls(
            name=str(parts["name"]),
            address=str(parts["address"]),
            path_sha256=str(parts["path_sha256"]),
            options=ReadOptions(**parts["options"]),
            unit=None if parts["unit"] is None else Unit(**parts["unit"]),
            schema=Schema.from_dict(parts["columns"]),
            stamp=None if stamp is None else (int(stamp[0]), int(stamp[1])),
        )
        # The columns were compared by `Schema.from_dict`: an older version said more of them
        told = canonical_json({**parts, "columns": found.schema.to_dict()})
        if (
            canonical_json(parts) != body
            or told != found.to_body()
            or b"\0" in found.address.encode("utf-8", "surrogateescape")
        ):
            raise ValueError("no source that a ledger lists")
        return found


def about(name: str, path_sha256: str, options: ReadOptions, unit: Unit | None) -> dict[str, Any]:
    """Return what a question says of a source: enough to tell it, and how it is read, from all others."""
    reading = options.to_dict()
    return {
        "source": name,
        "path_sha256": path_sha256,
        "table": reading.pop("table"),
        "reading": reading,
        **({} if unit is None else {"unit": unit.to_fields()}),
    }


def address_of(place: Place, folder: Path | None) -> str:
    """Return where a place is, from a ledger in `folder`; see `ListedSource.address`."""
    scheme = _SCHEMES.get(place.kind, "")
    parts = place.identity.removeprefix(scheme).split(os.pathsep if place.kind == "files" else "\0")
    return scheme + os.pathsep.join(_beside(part, folder) for part in parts)


def _beside(text: str, folder: Path | None) -> str:
    path = Path(text)
    if folder is None or not (path.is_absolute() and path.is_relative_to(folder)):
        return text
    return f"{_BESIDE}{path.relative_to(folder)}"


def stamp_of(place: Place) -> Stamp | None:
    """Return the stamp of a file that is there and stays there, and whose content is all in it.

    The time is that of the inode, which no program can set back (ctime). A database that keeps a journal beside its
    file changes without it.
    """
    is_file = place.kind == "file" and not place.is_named
    if not is_file or any(os.path.exists(place.text + end) for end in ("-wal", "-journal", ".wal")):
        return None
    try:
        status = os.stat(place.text)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_ctime_ns


def not_listed_yet(budget: str) -> str:
    """Return the rule for what can be listed, as errors say it."""
    return f"one that the budget {budget!r} does not list already; how a source is read, and its unit, stay as listed"

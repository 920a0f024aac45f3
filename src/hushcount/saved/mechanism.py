"""A mechanism with the claim made of it and what is said of it, as a file holds it; and the kind that is a matrix."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.explicit import Explicit
from hushcount.numbers.arrays import Floats
from hushcount.promise.curve import Curve
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["RESERVED", "Saved", "SavedMechanism", "matrix_sha256"]

_OF_VERSION_1 = ("epsilon", "delta", "n", "name", "sha256")

RESERVED: dict[int, tuple[str, ...]] = {1: _OF_VERSION_1, 2: (*_OF_VERSION_1, "mu_squared", "pairs", "form")}
"""The names of a file's own fields, by the version of its form, which no note may have."""

LONGEST_NAME, LONGEST_NOTE = 60, 10_000
MOST_NOTES = 100
_NOTE_KEY = re.compile(r"[a-z][a-z0-9_-]{0,39}", re.ASCII)


class Saved(Mechanism):
    """What a file holds. Two are equal if they hold the same floats, claim, name and notes.

    Attributes:
        claim: the promise that it was designed for.
        name: one line of 1 to 60 printable characters.
        notes: what else to say of it, such as the loss that it was designed for: at most 100 keys of up to 40
            characters (a-z, 0-9, `_`, `-`, a letter first; no name of a file's own field), each with one line of 1 to
            10,000 printable characters. Neither name nor note begins or ends with a space.
    """

    claim: Curve
    notes: Mapping[str, str]

    @property
    @abstractmethod
    def sha256(self) -> str:
        """The SHA-256 of what the mechanism is, in hexadecimal."""

    @property
    def version(self) -> int:
        """The version of the form of file that it takes."""
        return 2

    def _check_words(self) -> None:
        _check_line("name", self.name, LONGEST_NAME)
        object.__setattr__(self, "notes", MappingProxyType(_checked_notes(self.notes, RESERVED[self.version])))

    def _key(self) -> tuple[Any, ...]:
        return self.sha256, self.claim, self.name, tuple(sorted(self.notes.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Saved) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


@dataclass(frozen=True, eq=False)
class SavedMechanism(Explicit, Saved):
    """A mechanism held as a matrix, the promise claimed of it, and where it comes from.

    A claim proves nothing: `epsilon` and `delta` are None as for any matrix, and `audit` judges the claim.

    Attributes:
        entries: the matrix, shape (n + 1, n + 1), rows = true count, read-only; -0.0 is kept as 0.0.
        claim, name, notes: see `Saved`.

    Raises:
        InvalidParameter, BadUse, TooLarge: a bad attribute; for the matrix see `hushcount.from_matrix`.
    """

    claim: Curve
    name: str = Explicit.name
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        entries = stochastic_rows(self.entries) + 0.0
        entries.setflags(write=False)
        object.__setattr__(self, "entries", entries)
        if not isinstance(self.claim, Curve):
            raise InvalidParameter("claim", self.claim, "a promise, such as an EpsilonDelta")
        self._check_words()

    @property
    def sha256(self) -> str:
        """`matrix_sha256` of the entries."""
        return matrix_sha256(self.entries)

    @property
    def version(self) -> int:
        """Return 1 where one epsilon and delta are claimed."""
        return 1 if isinstance(self.claim, EpsilonDelta) else 2

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy does not pickle
        return SavedMechanism, (self.entries, self.claim, self.name, dict(self.notes))


def matrix_sha256(entries: Floats) -> str:
    """Return the SHA-256 of a matrix in hexadecimal: of its entries row by row, each as the 8 bytes of a
    little-endian IEEE 754 double, with -0.0 as 0.0."""
    return sha256((entries + 0.0).astype("<f8").tobytes()).hexdigest()


def _checked_notes(notes: object, reserved: tuple[str, ...]) -> dict[str, str]:
    if not isinstance(notes, Mapping) or not len(notes) <= MOST_NOTES:
        raise InvalidParameter("notes", None, f"a mapping from key to text, of at most {MOST_NOTES} keys")
    for key, text in notes.items():
        if not isinstance(key, str) or not _NOTE_KEY.fullmatch(key) or key in reserved:
            rule = f"up to 40 of a-z, 0-9, _ and -, a letter first, and none of {', '.join(reserved)}"
            raise InvalidParameter("the key of a note", key, rule)
        _check_line(f"note {key}", text, LONGEST_NOTE)
    return dict(notes)


def _check_line(argument: str, text: object, longest: int) -> None:
    is_line = isinstance(text, str) and text.isprintable() and text.strip(" ") == text
    if not (is_line and 0 < len(text) <= longest):  # type: ignore[arg-type]
        rule = f"one line of 1 to {longest:,} printable characters, without a space at either end"
        raise InvalidParameter(argument, text, rule)

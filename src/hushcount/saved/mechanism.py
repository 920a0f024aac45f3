"""A matrix with the claim made of it, as the file of a mechanism holds it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from hushcount.errors import InvalidParameter
from hushcount.inputs.stochastic import stochastic_rows
from hushcount.mechanisms.explicit import Explicit
from hushcount.numbers.arrays import Floats
from hushcount.promise.epsilon_delta import EpsilonDelta
from hushcount.promise.gaussian import GaussianDP

__all__ = ["RESERVED", "Claim", "SavedMechanism", "matrix_sha256"]

Claim = EpsilonDelta | GaussianDP
"""What may be claimed of a mechanism in a file."""

RESERVED = ("epsilon", "delta", "mu_squared", "n", "name", "sha256")
"""The names of a file's own fields, which no note may have."""

LONGEST_NAME, LONGEST_NOTE = 60, 10_000
MOST_NOTES = 100
_NOTE_KEY = re.compile(r"[a-z][a-z0-9_-]{0,39}", re.ASCII)


@dataclass(frozen=True, eq=False)
class SavedMechanism(Explicit):
    """A mechanism held as a matrix, the promise claimed of it, and where it comes from.

    A claim proves nothing: `epsilon` and `delta` are None as for any matrix, and `audit` judges the claim. Two are
    equal if they hold the same floats, claim, name and notes.

    Attributes:
        entries: the matrix, shape (n + 1, n + 1), rows = true count, read-only; -0.0 is kept as 0.0.
        claim: the epsilon and delta, or the mu, that it was designed for.
        name: one line of 1 to 60 printable characters.
        notes: what else to say of it, such as the loss that it was designed for: at most 100 keys of up to 40
            characters (a-z, 0-9, `_`, `-`, a letter first; none of `RESERVED`), each with one line of 1 to 10,000
            printable characters. Neither name nor note begins or ends with a space.

    Raises:
        InvalidParameter, BadUse, TooLarge: a bad attribute; for the matrix see `hushcount.from_matrix`.
    """

    claim: Claim
    name: str = Explicit.name
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        entries = stochastic_rows(self.entries) + 0.0
        entries.setflags(write=False)
        object.__setattr__(self, "entries", entries)
        if not isinstance(self.claim, Claim):
            raise InvalidParameter("claim", self.claim, "an EpsilonDelta or a GaussianDP")
        _check_line("name", self.name, LONGEST_NAME)
        object.__setattr__(self, "notes", MappingProxyType(_checked_notes(self.notes)))

    @property
    def sha256(self) -> str:
        """`matrix_sha256` of the entries."""
        return matrix_sha256(self.entries)

    def _key(self) -> tuple[Any, ...]:
        return self.sha256, self.claim, self.name, tuple(sorted(self.notes.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SavedMechanism) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy does not pickle
        return SavedMechanism, (self.entries, self.claim, self.name, dict(self.notes))


def matrix_sha256(entries: Floats) -> str:
    """Return the SHA-256 of a matrix in hexadecimal: of its entries row by row, each as the 8 bytes of a
    little-endian IEEE 754 double, with -0.0 as 0.0."""
    return sha256((entries + 0.0).astype("<f8").tobytes()).hexdigest()


def _checked_notes(notes: object) -> dict[str, str]:
    if not isinstance(notes, Mapping) or not len(notes) <= MOST_NOTES:
        raise InvalidParameter("notes", None, f"a mapping from key to text, of at most {MOST_NOTES} keys")
    for key, text in notes.items():
        if not isinstance(key, str) or not _NOTE_KEY.fullmatch(key) or key in RESERVED:
            rule = f"up to 40 of a-z, 0-9, _ and -, a letter first, and none of {', '.join(RESERVED)}"
            raise InvalidParameter("the key of a note", key, rule)
        _check_line(f"note {key}", text, LONGEST_NOTE)
    return dict(notes)


def _check_line(argument: str, text: object, longest: int) -> None:
    is_line = isinstance(text, str) and text.isprintable() and text.strip(" ") == text
    if not (is_line and 0 < len(text) <= longest):  # type: ignore[arg-type]
        rule = f"one line of 1 to {longest:,} printable characters, without a space at either end"
        raise InvalidParameter(argument, text, rule)

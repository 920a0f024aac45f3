"""Mechanisms told by a chain, as a file holds them: n numbers in place of a matrix, and proved as in memory.

The numbers are the *shifts* y_j of Gaussian noise (`mechanisms.chain.gaussian_chain`) or the *points* x_j on the curve
of one or several (epsilon, delta) (`mechanisms.chain.point_chain`). All are floats, hence exact, and the chain is
checked to be one when it is made. So what is read is private by proof, with the law that was saved.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from hushcount.errors import TooLarge
from hushcount.mechanisms.base import Mechanism
from hushcount.mechanisms.chain.chain import Chain
from hushcount.mechanisms.chain.gaussian_chain import GaussianChain, GivenGaussianChain
from hushcount.mechanisms.chain.point_chain import GivenPointChain, PointChain
from hushcount.mechanisms.explicit import Explicit
from hushcount.promise.curve import Curve
from hushcount.saved.mechanism import Saved, matrix_sha256

__all__ = ["LARGEST_CHAIN", "SavedChain", "SavedGaussianChain", "SavedPointChain", "saved_chain", "sha256_of"]

LARGEST_CHAIN = 2**20
"""The most outcomes of a chain in a file, which then has some 20 MB."""


class SavedChain(Saved):
    """What both kinds of chains in files have in common; the claim is what the chain proves."""

    given: tuple[float, ...]
    privacy: Curve

    @property
    def claim(self) -> Curve:  # type: ignore[override]
        return self.privacy

    @cached_property
    def sha256(self) -> str:
        found = sha256_of(self)
        assert found is not None
        return found

    def _settle(self) -> None:
        object.__setattr__(self, "given", tuple(y + 0.0 for y in self.given))  # -0.0 as 0.0
        self._check_words()


@dataclass(frozen=True, eq=False)
class SavedGaussianChain(SavedChain, GivenGaussianChain):
    """Gaussian noise cut at thresholds that are given by their shifts, and what is said of it; see `Saved`."""

    name: str = GivenGaussianChain.name
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._settle()

    def __reduce__(self) -> tuple[Any, ...]:
        return SavedGaussianChain, (self.n, self.privacy, self.given, self.name, dict(self.notes))


@dataclass(frozen=True, eq=False)
class SavedPointChain(SavedChain, GivenPointChain):
    """A chain on the curve of one or several (epsilon, delta), and what is said of it; see `Saved`."""

    name: str = GivenPointChain.name
    notes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._settle()

    def __reduce__(self) -> tuple[Any, ...]:
        return SavedPointChain, (self.n, self.privacy, self.given, self.is_half, self.name, dict(self.notes))


def saved_chain(chain: Chain, name: str, notes: Mapping[str, str]) -> SavedGaussianChain | SavedPointChain:
    """Return a chain of any kind with all its numbers, for a file; its law is the same.

    Raises:
        InvalidParameter: a bad name or note.
        TooLarge: more than 2^20 outcomes.
    """
    if not chain.n < LARGEST_CHAIN:
        raise TooLarge(f"a chain in a file has at most {LARGEST_CHAIN:,} outcomes (got {chain.n + 1:,})")
    if isinstance(chain, GaussianChain):
        if isinstance(chain, GivenGaussianChain):
            given = chain.given
        else:
            given = tuple(chain.shifts.many(np.arange(chain.n)).tolist()) if chain.n else ()
        return SavedGaussianChain(chain.n, chain.privacy, given, name, notes)
    assert isinstance(chain, PointChain)
    if isinstance(chain, GivenPointChain):
        return SavedPointChain(chain.n, chain.promise, chain.given, chain.is_half, name, notes)
    points = chain.points
    count = chain.n // 2 if points.is_mirrored else chain.n
    given = tuple(points.values[np.minimum(np.arange(count), len(points.values) - 1)].tolist())
    return SavedPointChain(chain.n, chain.promise, given, points.is_mirrored, name, notes)


def sha256_of(mechanism: Mechanism) -> str | None:
    """Return the SHA-256 of a matrix (`matrix_sha256`) or of a chain, in hexadecimal; None for a closed form.

    That of a chain is of its kind, n and promise as one line of JSON, and of its numbers as the 8 bytes of
    little-endian IEEE 754 doubles, with -0.0 as 0.0.
    """
    if isinstance(mechanism, Explicit):
        return matrix_sha256(mechanism.entries)
    if not isinstance(mechanism, GivenGaussianChain | GivenPointChain):
        return None
    head = {"form": mechanism.form, "n": mechanism.n, **mechanism.promise.to_fields()}
    numbers = (np.array(mechanism.given, dtype=np.float64) + 0.0).astype("<f8").tobytes()
    return sha256(f"{json.dumps(head)}\n".encode("ascii") + numbers).hexdigest()

"""A medium with outputs of its own, such as erasures, each of which is read as a count.

Whoever hears the medium hears its outputs. So what must be private is G R, with R = [Pr(output y | sent = i)] of shape
(M, N), before anything is decided; what is right or wrong is G T with T = R D, where D reads output y as the count
`decide[y]`. Privacy of G R implies that of G T (post-processing), not the other way round: an output may tell more than
the count that it is read as.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import integer, listed
from hushcount.inputs.stochastic import divided_rows, stochastic_rows
from hushcount.medium.medium import Medium
from hushcount.numbers.arrays import Floats, Integers

__all__ = ["DecidedMedium", "Decision", "likeliest"]

Decision = Literal["likeliest"] | Iterable[int]
"""The count that each output is read as, or `"likeliest"`."""

_MOST_LISTED = 16
"""The most outputs whose counts are listed in a text."""


@dataclass(frozen=True, eq=False)
class DecidedMedium(Medium):
    """The counts that outputs are read as, as a medium, and the outputs, which are what must be private.

    A function of a medium takes the chances of what is read from `matrix`, and demands privacy of the outputs. That a
    medium costs something is proved as for any other. That it costs nothing is not concluded where `is_decided`, as the
    statements that might are about privacy after the decision.

    Attributes:
        received: entry (i, y) is Pr(output y | sent = i), shape (n + 1, N) with N > n, read-only.
        decide: the count 0..n that each output is read as, shape (N,), read-only.
    """

    received: Floats = field(repr=False)
    decide: Integers = field(repr=False)

    @classmethod
    def of(cls, received: Floats, decide: Decision, description: str) -> Self:
        """Return the medium for a stochastic matrix of at least as many columns as rows.

        Raises:
            InvalidParameter, BadUse, TooLarge: not such a matrix, or no count for each output.
        """
        rows = stochastic_rows(received, square=False)
        if not rows.shape[1] >= rows.shape[0]:
            raise BadUse(f"{rows.shape[0]} counts cannot be told by {rows.shape[1]} outputs")
        counts = _decisions(decide, rows)
        groups = [np.flatnonzero(counts == k).tolist() for k in range(len(rows))]
        read = [[math.fsum(row[group]) for group in groups] for row in rows]
        return cls(divided_rows(np.array(read)), description, rows, counts)

    @property
    def arriving(self) -> Floats:
        return self.received

    @cached_property
    def outputs(self) -> Floats:
        shares = divided_rows(self.received)
        shares.setflags(write=False)
        return shares

    @property
    def decisions(self) -> Integers:
        return self.decide

    @property
    def summands(self) -> list[list[list[float]]]:
        groups = [np.flatnonzero(self.decide == k) for k in range(self.order)]
        return [[row[group].tolist() for group in groups] for row in self.received]

    @cached_property
    def is_decided(self) -> bool:
        """Whether some count is read from two outputs that may arrive, which tell more than the count."""
        return bool(np.bincount(self.decide[self.received.any(axis=0)]).max() > 1)

    @property
    def is_likeliest(self) -> bool:
        """Whether each output that may arrive is read as the likeliest count, and the least of several."""
        return bool(((self.decide == likeliest(self.received)) | ~self.received.any(axis=0)).all())

    @property
    def is_circulant(self) -> bool:
        """False: what is known of circulant media is not of outputs."""
        return False

    @property
    def is_mirrored(self) -> bool:
        """False: nothing says which output mirrors which."""
        return False

    def relabelled(self, labels: Iterable[int]) -> DecidedMedium:
        """Return the medium with its counts renamed: count k is sent as symbol `labels[k]`, and outputs read as that
        symbol are read as k; see `Medium.relabelled`."""
        chosen = self._permutation(labels)
        counts = np.argsort(chosen)[self.decide]
        return DecidedMedium.of(self.received[chosen], counts, f"{self.description}, relabelled")

    def restricted(self, labels: Iterable[int], decoded: Iterable[int] | None = None) -> DecidedMedium:
        """Return the medium used for fewer counts: count k is sent as symbol `labels[k]`; its outputs are the same.

        Args:
            labels: see `Medium.restricted`.
            decoded: the count that each output is read as; the likeliest by default, and the least of several.

        Raises:
            InvalidParameter: see `Medium.restricted`.
        """
        sent = self._different(labels)
        counts: Decision = "likeliest" if decoded is None else listed(decoded, "decoded", "a list of counts")
        text = f"{self.description}, restricted to {len(sent)} symbols"
        return DecidedMedium.of(self.received[sent], counts, text)

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "received": self.received.tolist(), **self.decision_dict()}

    def decision_dict(self) -> dict[str, Any]:
        """Return how outputs are read, and what is promised of them, ready for JSON."""
        return {
            "outputs": len(self.decide),
            "decide": self.decide.tolist(),
            "is_likeliest": self.is_likeliest,
            "promised_of": "the outputs, before they are read as counts",
        }

    @property
    def reading(self) -> str:
        """How outputs are read, in words."""
        ways = ["the likeliest count, the least of several"] if self.is_likeliest else []
        if (N := len(self.decide)) <= _MOST_LISTED:
            ways.insert(0, " ".join(map(str, self.decide.tolist())))
        return f"{N}, read as {', '.join(ways) if ways else 'counts that --json lists'}"

    def _behind(self, first: Medium) -> Medium:
        return DecidedMedium.of(divided_rows(first.matrix @ self.received), self.decide, self._cascade_text(first))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DecidedMedium)
            and super().__eq__(other)
            and np.array_equal(self.received, other.received)
            and np.array_equal(self.decide, other.decide)
        )

    def __hash__(self) -> int:
        return hash((super().__hash__(), (self.received + 0.0).tobytes(), self.decide.tobytes()))


def likeliest(received: Floats) -> Integers:
    """Return for each output the count that most often yields it, and the least of several."""
    return np.asarray(np.argmax(received, axis=0), dtype=np.int64)


def _decisions(decide: Decision, rows: Floats) -> Integers:
    (M, N), rule = rows.shape, "'likeliest', or a count for each output"
    if isinstance(decide, str):
        if decide != "likeliest":
            raise InvalidParameter("decide", decide, rule)
        counts = likeliest(rows)
    else:
        given = [integer(count, "decide") for count in listed(decide, "decide", rule)]
        if not (len(given) == N and all(0 <= count < M for count in given)):
            raise InvalidParameter("decide", None, f"'likeliest', or {N} counts from 0 to {M - 1}")
        counts = np.array(given, dtype=np.int64)
    counts.setflags(write=False)
    return counts

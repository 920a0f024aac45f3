"""A fixed medium: the stochastic matrix from what is sent to what a channel delivers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hushcount.errors import BadUse, InvalidParameter, TooLarge
from hushcount.inputs.arguments import integer, listed
from hushcount.inputs.stochastic import LARGEST_MATRIX, divided_rows, stochastic_rows
from hushcount.numbers.arrays import Floats, Integers

__all__ = ["Medium", "checked_order", "circulant"]

_CASCADE = "a cascade: "
"""How the description of media after one another begins."""


@dataclass(frozen=True, eq=False)
class Medium:
    """A square stochastic matrix T = [Pr(received = j | sent = i)], rows and columns 0..n ([RV26] section V).

    After a mechanism P, what arrives is P T. Two media are equal if they are of one class and hold the same floats
    and description.

    Attributes:
        matrix: shape (n + 1, n + 1), rows = sent, columns = received; a read-only copy. Each row sums to 1 up to the
            rounding of its entries (`hushcount.inputs.stochastic.stochastic_rows`).
        description: one line that says what it is.

    Raises:
        InvalidParameter, BadUse, TooLarge: a bad attribute; a row whose sum is not 1 is named.
    """

    matrix: Floats = field(repr=False)
    description: str

    __array_ufunc__ = None  # so that `medium @ array` is a TypeError, not an attempt of numpy's

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", stochastic_rows(self.matrix))
        if not (isinstance(self.description, str) and self.description.strip() and self.description.isprintable()):
            raise InvalidParameter("description", self.description, "one line of text")

    @property
    def order(self) -> int:
        """M = n + 1, the number of symbols."""
        return len(self.matrix)

    @property
    def n(self) -> int:
        """The largest count that it carries."""
        return self.order - 1

    @cached_property
    def shares(self) -> Floats:
        """T with each row divided by its exact sum; in floats, right within 2^-52 relative; read-only."""
        shares = divided_rows(self.matrix)
        shares.setflags(write=False)
        return shares

    @property
    def arriving(self) -> Floats:
        """What arrives, and must be private: a row for each count sent, and a column for each output.

        The outputs are the counts, but for a `DecidedMedium`.
        """
        return self.matrix

    @property
    def outputs(self) -> Floats:
        """What arrives, each row over its exact sum."""
        return self.shares

    @property
    def decisions(self) -> Integers:
        """The count that each output is read as."""
        return np.arange(self.order)

    @property
    def summands(self) -> list[list[list[float]]]:
        """The floats whose exact sum each entry is."""
        return [[[entry] for entry in row] for row in self.matrix.tolist()]

    @property
    def is_decided(self) -> bool:
        """Whether outputs are read as counts, so that they may tell more than these."""
        return False

    @cached_property
    def error_probability(self) -> float:
        """max_i Pr(received != i | sent = i), the worst symbol error probability.

        It is summed from the errors, so that it is as accurate as the matrix however small it is.
        """
        return max(self._errors)

    @cached_property
    def mean_error_probability(self) -> float:
        """The plain average of Pr(received != i | sent = i), the symbol error rate of equally likely symbols."""
        return math.fsum(self._errors) / self.order

    @property
    def _errors(self) -> list[float]:
        return [min(math.fsum(np.delete(row, i)), 1.0) for i, row in enumerate(self.matrix)]

    @cached_property
    def is_circulant(self) -> bool:
        """Whether T[i, j] depends only on j - i modulo M, float for float."""
        return np.array_equal(self.matrix[1:], np.roll(self.matrix[:-1], 1, axis=1))

    @cached_property
    def is_mirrored(self) -> bool:
        """Whether T[i, j] = T[n - i, n - j], float for float."""
        return np.array_equal(self.matrix, self.matrix[::-1, ::-1])

    def __matmul__(self, after: Medium) -> Medium:
        """Return the medium whose output is sent on through `after`: the matrix product, its rows over their sums.
        Its description says that it is a cascade. Where this one's outputs are read as counts, the counts are sent on:
        what is promised of the cascade says nothing of those outputs.

        Raises:
            BadUse: the media have different orders.
        """
        if not isinstance(after, Medium):
            return NotImplemented
        if after.order != self.order:
            raise BadUse(f"media of {self.order:,} and of {after.order:,} symbols do not follow on one another")
        return after._behind(self)

    def relabelled(self, labels: Iterable[int]) -> Medium:
        """Return the medium with its symbols renamed: count k is sent as symbol `labels[k]`, which is read as k.

        Args:
            labels: a permutation of 0..n.

        Raises:
            InvalidParameter: anything else.
        """
        chosen = self._permutation(labels)
        return Medium(self.matrix[np.ix_(chosen, chosen)], f"{self.description}, relabelled")

    def restricted(self, labels: Iterable[int], decoded: Iterable[int] | None = None) -> Medium:
        """Return the medium used for fewer counts: count k is sent as symbol `labels[k]`, and what arrives is read
        as a count. Privacy is then of the count that is read. To have it of what arrives, give the rows
        `matrix[labels]` to `from_matrix`, with `decide`.

        Args:
            labels: different symbols out of 0..n, at least one.
            decoded: the count 0..len(labels) - 1 that each received symbol 0..n is read as. By default the likeliest,
                that is the k with the largest T[labels[k], received], and the least of several such k.

        Raises:
            InvalidParameter: anything else.
        """
        sent = self._different(labels)
        rows = self.matrix[sent]
        if decoded is None:
            counts = np.argmax(rows, axis=0)
        else:
            counts = np.array(_labels(decoded, "decoded", len(sent)))
            if len(counts) != self.order:
                raise InvalidParameter("decoded", None, f"a count for each of the {self.order} symbols")
        sums = np.stack([rows[:, counts == k].sum(axis=1) for k in range(len(sent))], axis=1)
        return Medium(divided_rows(sums), f"{self.description}, restricted to {len(sent)} symbols")

    def to_dict(self) -> dict[str, Any]:
        """Return the medium, ready for JSON."""
        return {
            "description": self.description,
            "order": self.order,
            "error_probability": self.error_probability,
            "mean_error_probability": self.mean_error_probability,
            "matrix": self.matrix.tolist(),
        }

    def _behind(self, first: Medium) -> Medium:
        """Return the medium that sends on what arrives from another of the same order."""
        return Medium(divided_rows(_product(first, self)), self._cascade_text(first))

    def _cascade_text(self, first: Medium) -> str:
        """Return the description of this medium behind another."""
        read = ", its outputs read as counts" if first.is_decided else ""
        before, after = (medium.description.removeprefix(_CASCADE) for medium in (first, self))
        return f"{_CASCADE}{before}{read}, then {after}"

    def _permutation(self, labels: Iterable[int]) -> list[int]:
        chosen = _labels(labels, "labels", self.order)
        if sorted(chosen) != list(range(self.order)):
            raise InvalidParameter("labels", chosen, f"a permutation of 0..{self.n}")
        return chosen

    def _different(self, labels: Iterable[int]) -> list[int]:
        chosen = _labels(labels, "labels", self.order)
        if not chosen or len(set(chosen)) < len(chosen):
            raise InvalidParameter("labels", chosen, f"different symbols out of 0..{self.n}, at least one")
        return chosen

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Medium)
            and type(other) is type(self)
            and self.description == other.description
            and np.array_equal(self.matrix, other.matrix)
        )

    def __hash__(self) -> int:
        return hash((self.description, (self.matrix + 0.0).tobytes()))


def circulant(row: Floats) -> Floats:
    """Return the matrix whose entry (i, j) is `row[(j - i) mod M]`."""
    places = np.arange(len(row))
    matrix: Floats = row[(places - places[:, None]) % len(row)]
    return matrix


def _product(first: Medium, second: Medium) -> Floats:
    """Return the matrix product, with the symmetries of both, which rounding would break."""
    are_mirrored = first.is_mirrored and second.is_mirrored
    if first.is_circulant and second.is_circulant:
        row = first.matrix[0] @ second.matrix
        return circulant((row + np.roll(row[::-1], 1)) / 2 if are_mirrored else row)
    product: Floats = first.matrix @ second.matrix
    return (product + product[::-1, ::-1]) / 2 if are_mirrored else product


def checked_order(order: int, *, least: int = 2) -> int:
    """Return the number of symbols if it is from `least` to 4,096.

    Raises:
        InvalidParameter: it is not an integer, or is below `least`.
        TooLarge: it is above 4,096.
    """
    value = integer(order, "order", least=least)
    if not value <= LARGEST_MATRIX:
        raise TooLarge(f"a medium of {value:,} symbols is above the limit of {LARGEST_MATRIX:,}")
    return value


def _labels(values: Iterable[int], argument: str, below: int) -> list[int]:
    rule = f"a list of integers from 0 to {below - 1}"
    found = [integer(value, argument) for value in listed(values, argument, rule)]
    if not all(0 <= value < below for value in found):
        raise InvalidParameter(argument, found, rule)
    return found

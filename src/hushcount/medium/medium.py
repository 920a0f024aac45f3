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
from hushcount.numbers.arrays import Floats

__all__ = ["Medium", "checked_order", "circulant"]


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

        Raises:
            BadUse: the media have different orders.
        """
        if not isinstance(after, Medium):
            return NotImplemented
        if after.order != self.order:
            raise BadUse(f"media of {self.order:,} and of {after.order:,} symbols do not follow on one another")
        return Medium(divided_rows(_product(self, after)), f"{self.description}, then {after.description}")

    def relabelled(self, labels: Iterable[int]) -> Medium:
        """Return the medium with its symbols renamed: count k is sent as symbol `labels[k]`, which is read as k.

        Args:
            labels: a permutation of 0..n.

        Raises:
            InvalidParameter: anything else.
        """
        chosen = _labels(labels, "labels", self.order)
        if sorted(chosen) != list(range(self.order)):
            raise InvalidParameter("labels", chosen, f"a permutation of 0..{self.n}")
        return Medium(self.matrix[np.ix_(chosen, chosen)], f"{self.description}, relabelled")

    def restricted(self, labels: Iterable[int], decoded: Iterable[int] | None = None) -> Medium:
        """Return the medium used for fewer counts: count k is sent as symbol `labels[k]`, and what arrives is read
        as a count.

        Args:
            labels: different symbols out of 0..n, at least one.
            decoded: the count 0..len(labels) - 1 that each received symbol 0..n is read as. By default the likeliest,
                that is the k with the largest T[labels[k], received], and the least of several such k.

        Raises:
            InvalidParameter: anything else.
        """
        sent = _labels(labels, "labels", self.order)
        if not sent or len(set(sent)) < len(sent):
            raise InvalidParameter("labels", sent, f"different symbols out of 0..{self.n}, at least one")
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

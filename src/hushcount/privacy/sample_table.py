"""Draws counted by true count and outcome."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import integer, listed
from hushcount.inputs.arrays import array
from hushcount.inputs.pairs import counts_in, sample_pairs
from hushcount.numbers.arrays import Integers

__all__ = ["Frequency", "SampleTable"]


@dataclass(frozen=True)
class Frequency:
    """How often an event was released for one true count, and out of how many draws."""

    hits: int
    draws: int

    @property
    def share(self) -> Fraction:
        return Fraction(self.hits, self.draws)

    def to_dict(self) -> dict[str, Any]:
        """Return the frequency, ready for JSON."""
        return {"hits": self.hits, "draws": self.draws, "share": float(self.share)}


@dataclass(frozen=True)
class SampleTable:
    """How often each outcome was released for each true count: for each, its outcomes, increasing, and their counts."""

    rows: dict[int, tuple[Integers, Integers]]

    @property
    def totals(self) -> dict[int, int]:
        """The number of draws of each true count."""
        return {true: int(counts.sum()) for true, (_, counts) in self.rows.items()}

    def pair(self, true: int, other: int) -> tuple[Integers, Integers, Integers]:
        """Return the outcomes of two true counts together, and how often each of the two had them."""
        outcomes = np.union1d(self.rows[true][0], self.rows[other][0])
        both = []
        for values, counts in (self.rows[true], self.rows[other]):
            row = np.zeros(len(outcomes), dtype=np.int64)
            row[np.searchsorted(outcomes, values)] = counts
            both.append(row)
        return outcomes, both[0], both[1]

    def frequency(self, true: int, event: Integers) -> Frequency:
        """Return how many of the draws of a true count fell into a set of outcomes."""
        values, counts = self.rows[true]
        return Frequency(int(counts[np.isin(values, event)].sum()), int(counts.sum()))

    @classmethod
    def of_pairs(cls, pairs: ArrayLike) -> SampleTable:
        """Return the table of rows (true count, released); see `sample_pairs`."""
        values = sample_pairs(pairs)
        values = values[np.argsort(values[:, 0], kind="stable")]
        trues, starts = np.unique(values[:, 0], return_index=True)
        parts = np.split(values[:, 1], starts[1:])
        return cls({int(true): _counted(part) for true, part in zip(trues, parts, strict=True)})

    @classmethod
    def drawn(
        cls, sampler: Callable[[int, int], ArrayLike], true_counts: Sequence[int] | None, draws: int
    ) -> SampleTable:
        """Return the table of draws from a sampler, shared out as equally as possible: the first true counts get one
        more.

        Raises:
            InvalidParameter: not a list of true counts, a bad number of draws, or a sampler that does not return
                integers.
            BadUse: a sampler that does not take (true, size), or returns fewer or more integers than asked for.
        """
        _check_signature(sampler)
        rule = "a list of true counts for the sampler to try"
        given = enumerate(listed(true_counts, "true_counts", rule))
        trues = [integer(true, f"true_counts[{place}]", least=0) for place, true in given]
        if len(trues) < 2 or len(set(trues)) < len(trues):
            raise InvalidParameter("true_counts", trues, "a list of at least two different true counts")
        share, rest = divmod(integer(draws, "draws"), len(trues))
        if share < 1:
            raise InvalidParameter("draws", draws, "at least one for each true count")
        rows = {}
        for place, true in enumerate(trues):
            size = share + (place < rest)
            drawn = array(sampler(true, size), "what the sampler returns", "integers of at most 64 bits")
            if drawn.shape != (size,):
                raise BadUse(f"the sampler must return {size:,} integers (got an array of shape {drawn.shape})")
            rows[true] = _counted(counts_in(drawn, "what the sampler returns"))
        return cls(rows)

    def halves(self, rng: np.random.Generator) -> tuple[SampleTable, SampleTable]:
        """Return two tables of half the draws of each true count, split at random; they are independent, as the
        draws are."""
        first, second = {}, {}
        for true, (outcomes, counts) in self.rows.items():
            half = rng.multivariate_hypergeometric(counts, int(counts.sum()) // 2, method="marginals")
            first[true], second[true] = (outcomes, half), (outcomes, counts - half)
        return SampleTable(first), SampleTable(second)


def _check_signature(sampler: Callable[..., object]) -> None:
    try:
        inspect.signature(sampler).bind(0, 1)
    except TypeError:
        raise BadUse(
            "the sampler must be a function of (true, size) that returns `size` integers; that of a mechanism m is "
            "lambda true, size: m.draw(numpy.full(size, true))"
        ) from None
    except ValueError:  # some builtins do not tell
        pass


def _counted(values: Integers) -> tuple[Integers, Integers]:
    outcomes, counts = np.unique(values, return_counts=True)
    return outcomes, counts.astype(np.int64)

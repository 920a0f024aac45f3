"""What is believed about the true count after a release: prior times likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hushcount.errors import BadUse, InvalidParameter, Told, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.inputs.arrays import array
from hushcount.mechanisms import Mechanism
from hushcount.numbers.arrays import Floats
from hushcount.numbers.exact import Number
from hushcount.reading.confidence import Ranges, checked_level, confidence_set, likelihoods, ranges

__all__ = ["LARGEST_SUPPORT", "Posterior", "Prior", "posterior"]

LARGEST_SUPPORT = 2**15
"""The most counts; each takes one evaluation of the mechanism, some 40 microseconds."""

WINDOW = Fraction(1) - Fraction(1, 2**60)
"""The level of the confidence set outside which counts are left out."""

Prior = str | Sequence[float] | NDArray[np.float64] | Mapping[int, float] | Callable[[int], float]

_RULE = '"uniform", n + 1 weights, a mapping from counts to weights, or a function of a count; weights >= 0 and finite'


@dataclass(frozen=True, eq=False)
class Posterior:
    """A distribution of the true count (under add-remove: of the true count or the cap, whichever is less).

    Attributes:
        counts: the counts that it covers, ascending.
        probabilities: the probability of each, summing to 1; right to 1e-11 relative; read-only.
        is_whole: whether no count with a prior weight was left out. Otherwise, those left out would each have released
            such a count (one so far from them, or farther) with a chance below 2^-60.
    """

    counts: tuple[int, ...]
    probabilities: Floats
    is_whole: bool

    @property
    def mean(self) -> float:
        return float(self.counts[0] + math.fsum(self._offsets * self.probabilities))

    @property
    def standard_deviation(self) -> float:
        offsets = self._offsets
        centre = math.fsum(offsets * self.probabilities)
        return math.sqrt(math.fsum((offsets - centre) ** 2 * self.probabilities))

    @property
    def most_likely(self) -> int:
        """The count with the largest probability; the least of them if there are several."""
        return self.counts[int(self.probabilities.argmax())]

    def credible_set(self, level: Number = "0.95") -> Ranges:
        """Return the likeliest counts that together have probability `level` or more, as inclusive ranges.

        Raises:
            InvalidParameter: `level` is not > 0 and < 1.
        """
        needed = checked_level(level)
        order = np.argsort(-self.probabilities, kind="stable")
        reached = np.cumsum(self.probabilities[order]) >= float(needed)
        size = int(reached.argmax()) + 1 if reached.any() else len(order)
        return ranges(self.counts[place] for place in sorted(order[:size].tolist()))

    @property
    def _offsets(self) -> Floats:
        return np.array([count - self.counts[0] for count in self.counts], dtype=np.float64)


def posterior(mechanism: Mechanism, released: int, prior: Prior) -> Posterior:
    """Return the distribution of the true count after `released`.

    Args:
        prior: "uniform"; n + 1 weights; a mapping from some counts to their weights, the others having none; or a
            function from a count to its weight. Weights are >= 0 and finite, and need not sum to 1. With "uniform" or a
            function and n >= 32,768, counts outside the confidence set at level 1 - 2^-60 are left out.

    Raises:
        InvalidParameter: the prior is something else.
        BadUse: no count with a weight could have been released as `released` (or with a chance below 1e-307 only).
        TooLarge: more than 32,768 counts to evaluate.
    """
    weights, is_whole = _weights(mechanism, released, prior)
    if not weights:
        raise BadUse("the prior gives no count a weight")
    counts = tuple(sorted(weights))
    # The largest weight becomes 1, so that products neither overflow nor vanish.
    share = np.array([weights[count] for count in counts]) / max(weights.values())
    joint = share * likelihoods(mechanism, released, counts)
    total = math.fsum(joint)
    if not total > np.finfo(np.float64).tiny:
        raise BadUse(f"the prior has no weight on counts that could have been released as {released}")
    probabilities = joint / total
    probabilities.setflags(write=False)
    return Posterior(counts, probabilities, is_whole)


def _weights(mechanism: Mechanism, released: int, prior: Prior) -> tuple[dict[int, float], bool]:
    """Return the positive weights by count, and whether no other count has one."""
    if isinstance(prior, Mapping):
        pairs = [(integer(count, "a count of prior"), weight) for count, weight in prior.items()]
        for count, _ in pairs:
            if not 0 <= count <= mechanism.n:
                raise InvalidParameter("a count of prior", count, f"from 0 to n = {mechanism.n}")
        return _positive(pairs), True
    if callable(prior):
        counts, is_whole = _window(mechanism, released)
        return _positive([(count, prior(count)) for count in counts]), is_whole
    if isinstance(prior, str):
        if prior != "uniform":
            raise InvalidParameter("prior", prior, _RULE)
        counts, is_whole = _window(mechanism, released)
        return dict.fromkeys(counts, 1.0), is_whole
    given = array(prior, "prior", _RULE)
    if given.shape != (mechanism.n + 1,):
        raise InvalidParameter("prior", Told(given.shape), f"{mechanism.n + 1} weights, one for each count")
    return _positive(list(enumerate(given.tolist()))), True


def _positive(pairs: list[tuple[int, float]]) -> dict[int, float]:
    found = {}
    for count, weight in pairs:
        try:
            value = -1.0 if isinstance(weight, (bool, str)) else float(weight)
        except (TypeError, ValueError, OverflowError):
            value = -1.0
        if not 0 <= value < math.inf:
            raise InvalidParameter(f"the prior's weight of {count}", weight, "a finite number >= 0")
        if value > 0:
            found[count] = value
    if not len(found) <= LARGEST_SUPPORT:
        raise TooLarge(f"a prior with weight on {len(found):,} counts is above the limit of {LARGEST_SUPPORT:,}")
    return found


def _window(mechanism: Mechanism, released: int) -> tuple[list[int], bool]:
    if mechanism.n < LARGEST_SUPPORT:
        return list(range(mechanism.n + 1)), True
    window = confidence_set(mechanism, released, WINDOW)
    size = sum(last - first + 1 for first, last in window)
    if not size <= LARGEST_SUPPORT:
        raise TooLarge(
            f"{size:,} counts could have been released as {released}, above the limit of {LARGEST_SUPPORT:,}; give the "
            "prior as a mapping from fewer counts to weights"
        )
    return [count for first, last in window for count in range(first, last + 1)], size == mechanism.n + 1

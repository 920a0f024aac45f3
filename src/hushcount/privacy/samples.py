"""A black-box test: what a log of releases, or a sampler, surely reveals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from flint import ctx
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter
from hushcount.inputs.arguments import integer
from hushcount.inputs.arrays import generator
from hushcount.mechanisms.base import Mechanism
from hushcount.numbers.arrays import Integers
from hushcount.numbers.enclosure import ball
from hushcount.numbers.exact import Number, exact
from hushcount.numbers.intervals import lower_fraction
from hushcount.privacy.binomial import largest_probability, least_probability
from hushcount.privacy.findings import Witness, as_ranges
from hushcount.privacy.sample_result import SampleAudit, SampleVerdict
from hushcount.privacy.sample_table import Frequency, SampleTable
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["audit_samples"]

FINALISTS = 4
"""How many pairs of true counts, chosen on the first half of the draws, are tested on the second."""

LEAST_DRAWS = 100
"""A true count with fewer draws takes no part: half of them could certify almost nothing."""

Sampler = Callable[[int, int], ArrayLike]


def audit_samples(
    pairs_or_sampler: ArrayLike | Sampler,
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    confidence: Number = "0.999",
    distance: int = 1,
    true_counts: Sequence[int] | None = None,
    draws: int = 1_000_000,
    rng: np.random.Generator | None = None,
) -> SampleAudit:
    """Return a certified lower bound on epsilon at delta, from draws alone.

    (epsilon, delta)-DP requires P(U | k) <= e^epsilon P(U | i) + delta of every event U, so each event gives

        epsilon >= ln((P(U | k) - delta) / P(U | i)).

    **Multiple testing.** The draws of every true count are split at random into two halves. The first half chooses: for
    each ordered pair of true counts, the event {j : frequency under k > t * frequency under i} with the t that promises
    most; and of the pairs, the best 4. The second half, which is independent of that choice, tests them. The
    probabilities of the chosen events are bounded by exact (Clopper-Pearson) intervals, each at an error of (1 -
    confidence) / 8, so that all hold together with chance >= confidence (Bonferroni). However many true counts,
    outcomes and thresholds are tried on the first half, a mechanism that keeps (epsilon, delta) is rejected with chance
    <= 1 - confidence.

    Args:
        pairs_or_sampler: integers, shape (N, 2), from independent draws: a true count >= 0 and what was released for
            it, any integer. The columns of a table that names them (pyarrow, pandas) must be `true` and `released`, in
            this order. Or a function (true, size) -> `size` integers.
        epsilon: the claim to judge, in nats; None to find only what is certified.
        delta: 0 <= delta < 1.
        confidence: 0 < confidence < 1.
        distance: the distance of the true counts in each pair, >= 1.
        true_counts: for a sampler, the true counts to try, some of them at `distance`; not for pairs.
        draws: for a sampler, how many draws in all, shared out as equally as possible.
        rng: the generator that splits the draws; `numpy.random.default_rng(0)` by default, so that the same draws give
            the same answer.

    Raises:
        InvalidParameter: a bad argument, naming it; counts that are not integers of at most 64 bits; a distance that no
            two true counts have.
        BadUse: no two true counts at that distance with at least 100 draws each; a mechanism (`audit` judges it), or a
            sampler that cannot be called as sampler(true, size).
    """
    claim = None if epsilon is None else EpsilonDelta.of(epsilon)
    excused = EpsilonDelta.of(0, delta).delta
    level = exact(confidence, "confidence")
    if not 0 < level < 1:
        raise InvalidParameter("confidence", confidence, "a number > 0 and < 1")
    distance = integer(distance, "distance", least=1)
    splitter = np.random.default_rng(0) if rng is None else generator(rng, "rng")
    if isinstance(pairs_or_sampler, Mechanism):
        raise BadUse(
            f"a mechanism such as {pairs_or_sampler.name!r} is judged by audit(), exactly; audit_samples is for draws"
        )
    if callable(pairs_or_sampler):
        table = SampleTable.drawn(pairs_or_sampler, true_counts, draws)
    elif true_counts is not None:
        raise BadUse("true_counts is for a sampler; a table of pairs holds its own")
    else:
        table = SampleTable.of_pairs(pairs_or_sampler)
    farthest = max(table.totals) - min(table.totals)
    if not distance <= max(1, farthest):  # at 1, true counts are missing
        raise InvalidParameter("distance", distance, f"at most that of any two true counts, {farthest}")
    usable = {true for true, total in table.totals.items() if total >= LEAST_DRAWS}
    pairs = [(k, i) for k in sorted(usable) for i in (k - distance, k + distance) if i in usable]
    if not pairs:
        raise BadUse(
            f"no two true counts at distance {distance} have at least {LEAST_DRAWS} draws each; "
            f"{_short_of_draws(table.totals)}"
        )
    first, second = table.halves(splitter)
    chosen = sorted((_promising(first, k, i, float(excused)) for k, i in pairs), key=lambda c: -c[0])[:FINALISTS]
    error = (1 - level) / (2 * len(chosen))
    certified, witness, frequencies = 0.0, None, None
    for _, k, i, event in chosen:
        mine, theirs = second.frequency(k, event), second.frequency(i, event)
        bound = _certified(mine, theirs, excused, error)
        if bound > certified:
            certified, witness, frequencies = bound, Witness(k, i, as_ranges(event.tolist())), (mine, theirs)
    verdict = None
    if claim is not None:
        verdict = SampleVerdict.REJECTED if Fraction(certified) > claim.epsilon else SampleVerdict.NOT_REJECTED
    return SampleAudit(
        epsilon=None if claim is None else claim.epsilon,
        delta=excused,
        confidence=level,
        distance=distance,
        epsilon_at_least=certified,
        witness=witness,
        frequencies=frequencies,
        estimate=None if frequencies is None else _estimate(*frequencies, excused),
        verdict=verdict,
        draws=sum(table.totals.values()),
        pairs=len(pairs),
    )


def _promising(table: SampleTable, k: int, i: int, delta: float) -> tuple[float, int, int, Integers]:
    """Return the event that promises the largest bound, judged with normal approximations; this only chooses."""
    outcomes, a, b = table.pair(k, i)
    total_a, total_b = int(a.sum()), int(b.sum())
    order = np.argsort(-(a + 0.5) / (b + 0.5), kind="stable")
    order = order[(a + b)[order] > 0]
    mine, theirs = np.cumsum(a[order]), np.cumsum(b[order])
    z = 4.0
    p, r = mine / total_a, theirs / total_b
    low = p - z * np.sqrt(p * (1 - p) / total_a)
    high = r + z * np.sqrt(r * (1 - r) / total_b) + z * z / (2 * total_b)
    with np.errstate(invalid="ignore", divide="ignore"):
        promise = np.where(low > delta, np.log(np.maximum(low - delta, 0) / high), -math.inf)
    best = int(np.argmax(promise))
    return float(promise[best]), k, i, np.sort(outcomes[order[: best + 1]])


def _certified(mine: Frequency, theirs: Frequency, delta: Fraction, error: Fraction) -> float:
    """Return ln((least P(event | k) - delta) / largest P(event | i)), rounded down; 0.0 if it is below 0."""
    least = Fraction(least_probability(mine.hits, mine.draws, error))
    largest = Fraction(largest_probability(theirs.hits, theirs.draws, error))
    if not least - delta > largest:
        return 0.0
    with ctx.workprec(128):
        bound = lower_fraction(ball((least - delta) / largest).log())
    return math.nextafter(float(bound), 0.0)


def _estimate(mine: Frequency, theirs: Frequency, delta: Fraction) -> float:
    """Return the estimate of an event that certifies something, so that its frequencies exceed even more."""
    if theirs.hits == 0:
        return math.inf
    return math.log((mine.share - delta) / theirs.share)


def _short_of_draws(totals: dict[int, int]) -> str:
    """Return how many true counts have how few draws; the true counts themselves are never told."""
    few = [total for total in totals.values() if total < LEAST_DRAWS]
    most = f" (at most {max(few)})" if few else ""
    return f"of {len(totals):,} true counts with draws {len(few):,} have fewer{most}"

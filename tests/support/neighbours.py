"""What neighboring true counts of a mechanism give away, from enclosures of all its probabilities."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from hushcount import Mechanism
from hushcount.numbers.enclosure import ball
from hushcount.numbers.intervals import upper_fraction


def excess(mechanism: Mechanism, epsilon: Fraction, bits: int = 256) -> Fraction:
    """Return the least delta at epsilon, rounded up; nothing is assumed about the mechanism."""
    worst, every = Fraction(0), range(mechanism.n + 1)
    with ctx.workprec(bits):
        growth = ball(epsilon).exp()
        rows = [[mechanism.enclosed_pmf(i, j, bits) for j in every] for i in every]
        for i in range(mechanism.n):
            for mine, theirs in ((rows[i], rows[i + 1]), (rows[i + 1], rows[i])):
                parts = [(p - growth * q).nonnegative_part() for p, q in zip(mine, theirs, strict=True)]
                worst = max(worst, upper_fraction(sum(parts, arb(0))))
    return worst

"""Right where it matters: mechanisms that are right with given chances, one for each true count.

A mechanism with Pr(output = j | j) >= gamma_j for all j = 1..M that keeps a promise exists iff all c_j <= 1 in

    c_1 = gamma_1,     c_(j+1) = g(c_j) + gamma_(j+1).

*Proof.* F_(j+1)(j) >= g(F_j(j)), so F_j(j) >= c_j for all j by induction. Conversely c_1, ..., c_(M-1), 1 is a chain,
and right with the chance gamma_j in row j < M, 1 - g(c_(M-1)) >= gamma_M in row M. QED

c_j grows with every gamma, so with gamma_j = factor w_j there is a largest factor. It is found in floats; what its
mechanism reaches is enclosed entry by entry, and that a factor slightly above fails is proved by enclosures of c_j. See
"Designs by thresholds" in docs/theory.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from hushcount.errors import BadUse, InvalidParameter, Told, TooLarge
from hushcount.inputs.arguments import integer
from hushcount.inputs.arrays import array
from hushcount.mechanisms.chain.chain import Chain
from hushcount.numbers.enclosure import ball
from hushcount.numbers.exact import Number, exact
from hushcount.numbers.text import lower_text
from hushcount.optimal_set.by_chain.best import tamed, thresholds_of
from hushcount.optimal_set.by_chain.filling import DOWN, Pair, chain_of, filled, largest_factor, least_chain, step_of
from hushcount.optimal_set.saving import save_designed
from hushcount.promise.curve import Curve
from hushcount.promise.given import promise_of
from hushcount.saved.mechanism import Saved
from hushcount.words.counted import counted

__all__ = ["LARGEST", "RightWhere", "right_where"]

LARGEST = 2**14
"""The most outcomes."""

_SMALLEST = Fraction(1, 10**299)
"""The least weight or chance beside 0: it and its reciprocal are floats, with some room."""
_UP = 1 + 2.0**-40
_PRECISIONS = (192, 1024, 8192)


@dataclass(frozen=True, eq=False)
class RightWhere:
    """The result of `right_where`.

    Attributes:
        mechanism: private by proof.
        privacy: the promise asked for, exact.
        chances: Pr(output = j | j) for j = 0..n, to one unit in the last place.
        factor: the least chance over its weight (or over the chance asked for), as far as floats can tell.
        factor_bound: no mechanism that keeps the promise has a larger factor; proved.
    """

    mechanism: Chain
    privacy: Curve
    chances: tuple[float, ...]
    factor: float
    factor_bound: float

    def save(self, path: str | PathLike[str], *, notes: Mapping[str, str] | None = None) -> Saved:
        """Write the mechanism to a `.csv` or `.json` file with its promise, as `Design.save` does."""
        return save_designed(self.mechanism, self.privacy, path, {"basis": "RIGHT_WHERE", **(notes or {})})

    def to_dict(self) -> dict[str, Any]:
        """Return it, ready for JSON."""
        return {
            "n": self.mechanism.n,
            **self.privacy.to_fields(),
            "factor": self.factor,
            "factor_bound": self.factor_bound,
            "chances": list(self.chances),
        }


def right_where(
    n: int,
    epsilon: Number | Curve | None = None,
    delta: Number = 0,
    *,
    mu: Number | None = None,
    rho: Number | None = None,
    weights: ArrayLike | None = None,
    chances: ArrayLike | None = None,
) -> RightWhere:
    """Return the mechanism on 0..n that is right with given chances, or with the largest ones in proportion to weights.

    Args:
        n: the largest count, an integer >= 0, at most 16,383.
        epsilon, delta, mu, rho: the promise, as for `nearest`.
        weights: one number >= 0 for each true count, not all 0: how often to be right there, relative to the others.
        chances: in place of weights, one number from 0 to 1 for each true count: the least chance to be right there.

    Raises:
        InvalidParameter: naming the argument, its value and the rule; of chances that cannot be had, the one of the
            first true count at which no mechanism reaches its own besides those before.
        BadUse: weights that are all 0; both weights and chances, or neither.
        TooLarge: n is larger.
    """
    n, promise = integer(n, "n", least=0), promise_of(epsilon, delta, mu=mu, rho=rho)
    if not n < LARGEST:
        raise TooLarge(f"chances are given for at most {LARGEST:,} outcomes (got {n + 1:,})")
    if (weights is None) == (chances is None):
        raise BadUse("one of weights and chances is needed")
    wanted = _numbers(n, weights, "weights") if chances is None else _numbers(n, chances, "chances")
    if chances is not None:
        for j, chance in enumerate(wanted):
            if not chance <= 1:
                raise InvalidParameter(f"chances[{j}]", str(chance), "a number from 0 to 1")
    if not any(wanted):
        if chances is None:
            raise BadUse("weights must not be all 0")
        wanted = [Fraction(1, n + 1)] * (n + 1)  # anything does
    curve = tamed(promise)
    largest, step, floats = max(wanted), step_of(curve), [float(value) for value in wanted]
    factor = largest_factor(step, [value / float(largest) for value in floats]) / float(largest)
    if chances is not None and factor < DOWN:
        count = _first_failure(promise, wanted, Fraction(1))
        if count is not None:
            raise _refused(count, wanted, least_chain(step, floats[:count]).images)
    used = min(factor * DOWN, 1.0) if chances is not None else factor * DOWN
    x, rest = chain_of(step, filled(step, [used * value for value in floats]))
    mechanism = thresholds_of(n, curve).chain(np.array(x), np.array(rest))
    reached = tuple(mechanism.pmf(j, j) for j in range(n + 1))
    least = min(chance / value for chance, value in zip(reached, floats, strict=True) if value)
    return RightWhere(mechanism, promise, reached, least * (1 - 2.0**-51), _bound(promise, wanted, factor))


def _refused(count: int, wanted: Sequence[Fraction], images: Sequence[Pair]) -> InvalidParameter:
    """Return the error that says what can be had at the first count that fails, rounded down."""
    most = images[-1][1] * DOWN if images else 1.0
    return InvalidParameter(
        f"chances[{count}]",
        float(wanted[count]),
        f"a chance that can be had: the chance to be right at the true count {count} is at most "
        f"{lower_text(Fraction(most), 4)} beside those asked for below it",
    )


def _numbers(n: int, values: Any, argument: str) -> list[Fraction]:
    given = array(values, argument, "one number for each true count")
    if given.shape != (n + 1,):
        got = counted(len(given), "number") if given.ndim == 1 else "a single one" if not given.ndim else "a table"
        raise InvalidParameter(argument, Told(got), f"{counted(n + 1, 'number')}, one for each true count 0..{n:,}")
    kept = [exact(value, f"{argument}[{j}]") for j, value in enumerate(given)]
    for j, value in enumerate(kept):
        if not (value == 0 or _SMALLEST <= value <= 1 / _SMALLEST):
            raise InvalidParameter(f"{argument}[{j}]", given[j], "0, or a number from 1e-299 to 1e299")
    return kept


def _first_failure(promise: Curve, wanted: Sequence[Fraction], factor: Fraction) -> int | None:
    """Return the first j at which c_j > 1 for sure; None if there is none, as far as enclosures tell."""
    for precision in _PRECISIONS:
        with ctx.workprec(precision):
            c, is_sure = arb(0), True
            for j, value in enumerate(wanted):
                image = promise.least_after(c, 1 - c, 1) if j else c
                c = image + ball(value * factor)
                if c > 1:
                    return j if is_sure else None
                if not c <= 1:
                    is_sure = False
                    break
            if is_sure:
                return None
    return None


def _bound(promise: Curve, wanted: Sequence[Fraction], factor: float) -> float:
    """Return an upper bound of the largest factor: slightly above what floats found, if that surely fails."""
    bound = factor * _UP
    if _first_failure(promise, wanted, Fraction(bound)) is not None:
        return bound
    return float(1 / max(wanted)) * _UP

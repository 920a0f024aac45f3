"""Chains that are right with given chances gamma_0..gamma_n, and how far these can be raised together; in floats.

The least such chain is c_0 = gamma_0, c_(j+1) = g(c_j) + gamma_(j+1). Counted from the other end, the same recursion
for the chances in reverse order gives the largest one. Any chain between them at j - 1 and j may be taken there, so
that j alone can be right with the chance largest_j - g(least_(j-1)). Where this is above gamma_j there is room.

**Filling.** Of the counts that could reach some share of the largest of these chances alone, all are raised to the
largest common level that can be had. Several shares are tried, the one with the largest sum of all chances is kept, and
so on, until that sum grows by less than 1 part in 1,000 (or `_STEPS` are done). A search, not an optimum. What is left
over goes to the count where the two chains are nearest to one another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from hushcount.errors import InvalidParameter
from hushcount.promise.curve import Curve
from hushcount.promise.float_lines import FloatLines
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.piecewise_linear import PiecewiseLinear

__all__ = ["DOWN", "Pair", "Step", "chain_of", "filled", "largest_factor", "least_chain", "step_of"]

DOWN = 1 - 2.0**-44
"""What is found by bisection is lowered by this factor, for the rounding of one recursion."""
_HALVINGS = 64
_HALVINGS_OF_LEVELS = 40
_SHARES = (0.8, 0.5, 0.3, 0.15, 0.05, 0.0)
_ENOUGH = 1e-3
_STEPS = 2**22
"""At most so many steps of recursions, but one round at least."""
_NORMAL = NormalDist()

Pair = tuple[float, float]
"""A chance and its complement."""

Step = Callable[[float, float], Pair]
"""(c, 1 - c) -> (g(c), 1 - g(c))."""


def step_of(curve: Curve) -> Step:
    """Return g of a curve in floats."""
    if isinstance(curve, GaussianDP):
        mu = float(curve)

        def gaussian(c: float, rest: float) -> Pair:
            if not (c > 0 and rest > 0):
                return c, rest
            z = _NORMAL.inv_cdf(c) if c < 0.5 else -_NORMAL.inv_cdf(rest)
            return _NORMAL.cdf(z - mu), _NORMAL.cdf(mu - z)

        return gaussian
    if not isinstance(curve, PiecewiseLinear):
        raise InvalidParameter("promise", None, "one or several (epsilon, delta), mu or rho")
    lines = FloatLines.of(curve)

    def linear(c: float, rest: float) -> Pair:
        best, left = 0.0, 1.0
        for q, delta in lines.shrinking:
            image = q * (c - delta)
            best, left = max(best, image), min(left, 1 - image)
        for growth, delta in lines.growing:
            image = growth * rest + delta
            best, left = max(best, 1 - image), min(left, image)
        return best, max(left, 0.0)

    return linear


@dataclass(frozen=True)
class LeastChain:
    """c_j and g(c_j), each with its complement, up to the first j at which c_j > 1; None if there is none."""

    at: list[Pair]
    images: list[Pair]
    fails_at: int | None


def least_chain(step: Step, gammas: Sequence[float]) -> LeastChain:
    """Run the recursion."""
    image, left = 0.0, 1.0
    at: list[Pair] = []
    images: list[Pair] = []
    for j, gamma in enumerate(gammas):
        c, rest = image + gamma, left - gamma
        if rest < 0:
            return LeastChain(at, images, j)
        at.append((min(c, 1.0), rest))
        image, left = step(*at[-1])
        images.append((image, left))
    return LeastChain(at, images, None)


def largest_factor(step: Step, weights: Sequence[float]) -> float:
    """Return the largest factor of weights of at most 1 with which they can be had as chances."""

    def can_be_had(factor: float) -> bool:
        return least_chain(step, [factor * weight for weight in weights]).fails_at is None

    return 1.0 if can_be_had(1.0) else _last(can_be_had, 0.0, 1.0)


def filled(step: Step, gammas: Sequence[float]) -> list[float]:
    """Return chances, none below the given ones, which can be had and of which little can be raised any more."""
    kept = list(gammas)
    if not _can_be_had(step, kept):  # by rounding alone: nothing can be raised
        return kept
    for _ in range(max(1, _STEPS // (2 * len(_SHARES) * _HALVINGS_OF_LEVELS * len(kept)))):
        most = _most_alone(step, kept)
        found = max((_raised(step, kept, most, share * max(most)) for share in _SHARES), key=sum)
        if not sum(found) > (1 + _ENOUGH) * sum(kept):
            break
        kept = found
    return kept


def _raised(step: Step, gammas: list[float], most: list[float], enough: float) -> list[float]:
    """Return the chances with the largest common level for all that have room and could reach `enough` alone."""
    chosen = [alone >= enough and alone > gamma for alone, gamma in zip(most, gammas, strict=True)]

    def at(level: float) -> list[float]:
        return [max(gamma, level) if is_one else gamma for gamma, is_one in zip(gammas, chosen, strict=True)]

    high = max((alone for alone, is_one in zip(most, chosen, strict=True) if is_one), default=0.0)
    return at(_last(lambda level: _can_be_had(step, at(level)), 0.0, high, _HALVINGS_OF_LEVELS))


def _can_be_had(step: Step, gammas: Sequence[float]) -> bool:
    return all(least_chain(step, part).fails_at is None for part in (gammas, gammas[::-1]))


def chain_of(step: Step, gammas: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return x_j and 1 - x_j, j < n, of a chain that is right with these chances, which can be had."""
    chain = least_chain(step, gammas).at[:-1]
    if chain and _can_be_had(step, gammas):
        largest = _largest_chain(step, gammas)
        gaps = [_less(above, below) for above, below in zip(largest, chain, strict=True)]
        turn = gaps.index(min(gaps)) + 1
        chain = chain[:turn] + largest[turn:]
    return [x for x, _ in chain], [rest for _, rest in chain]


def _largest_chain(step: Step, gammas: Sequence[float]) -> list[Pair]:
    """Return the largest x_j, j < n: P(output > j | j) is at least what the other end asks for of j + 1."""
    return [(left, image) for image, left in least_chain(step, gammas[::-1]).images[-2::-1]]


def _most_alone(step: Step, gammas: Sequence[float]) -> list[float]:
    """Return the largest chance of each count that can be had beside those of all the others."""
    above = [*_largest_chain(step, gammas), (1.0, 0.0)]
    below = [(0.0, 1.0), *least_chain(step, gammas).images[:-1]]
    return [_less(more, less) for more, less in zip(above, below, strict=True)]


def _less(more: Pair, less: Pair) -> float:
    """Return the difference of two chances, from the smaller numbers."""
    return more[0] - less[0] if more[0] <= 0.5 else less[1] - more[1]


def _last(holds: Callable[[float], bool], low: float, high: float, halvings: int = _HALVINGS) -> float:
    """Return the last number between for which it holds, by bisection; it holds for `low`."""
    for _ in range(halvings):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low

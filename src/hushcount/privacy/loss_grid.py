"""Privacy loss distributions of (epsilon, delta)-DP releases on a common grid, composed by dp-accounting."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from hushcount.errors import BadUse
from hushcount.numbers.intervals import outwards
from hushcount.promise.epsilon_delta import EpsilonDelta

__all__ = ["LossGrid"]

_STEPS = 2**20
_MOST_STEPS = 2**24
_LARGEST_RATIO = 4096
_NO_LOSS = Fraction(1, 10**12)
"""How far the sum of the epsilons may grow, relatively, on a grid that they fall on but for rounding."""


@dataclass(frozen=True)
class LossGrid:
    """Releases whose epsilons are rounded up to whole multiples of one step.

    Attributes:
        step: a float > 0, in nats.
        parts: triples (epsilon in steps, delta rounded up, how many such releases).
    """

    step: float
    parts: tuple[tuple[int, float, int], ...]

    @classmethod
    def of(cls, promises: Counter[EpsilonDelta]) -> LossGrid:
        """Return the coarsest grid on which the epsilons fall, if there is one of at most 2**24 steps in all;
        otherwise a grid of 2**20 steps."""
        largest = max(p.epsilon for p in promises)
        total = sum((p.epsilon * count for p, count in promises.items()), Fraction(0))
        ratios = [(p.epsilon / largest).limit_denominator(_LARGEST_RATIO) for p in promises]
        common = math.lcm(*(ratio.denominator for ratio in ratios))
        multiples = [int(ratio * common) for ratio in ratios]
        exact_step = max((p.epsilon / m for p, m in zip(promises, multiples, strict=True) if m), default=largest)
        fits = (
            all(m * exact_step >= p.epsilon for p, m in zip(promises, multiples, strict=True))
            and sum(m * count for m, count in zip(multiples, promises.values(), strict=True)) <= _MOST_STEPS
            and sum(m * exact_step * count for m, count in zip(multiples, promises.values(), strict=True))
            <= total * (1 + _NO_LOSS)
        )
        step = outwards(exact_step if fits else total / _STEPS, math.inf)
        parts = (
            (math.ceil(p.epsilon / Fraction(step)), outwards(p.delta, math.inf), count) for p, count in promises.items()
        )
        return cls(step, tuple(parts))

    def epsilon(self, target_delta: Fraction) -> float:
        """Return the least epsilon at a delta for all the releases together, rounded up; infinite where none is
        certified."""
        try:
            from dp_accounting.pld import privacy_loss_distribution as pld
        except ImportError:
            raise BadUse("composition needs the package dp-accounting: pip install dp-accounting") from None
        with np.errstate(all="ignore"), warnings.catch_warnings():  # dp-accounting takes logarithms of 0
            warnings.simplefilter("ignore", RuntimeWarning)
            return self._composed(pld, target_delta)

    def _composed(self, pld: Any, target_delta: Fraction) -> float:
        goal = float(target_delta) * (1 - 2.0**-30) - self._float_error
        if not goal > 0:
            return math.inf
        cut = min(goal, float(1 - target_delta)) * 1e-9  # finite losses have mass 1 - target or more
        parts = [
            self._distribution(pld, steps, delta).self_compose(count, tail_mass_truncation=cut)
            if count > 1
            else self._distribution(pld, steps, delta)
            for steps, delta, count in self.parts
        ]
        whole = reduce(lambda x, y: _compose(x, y, cut), parts)
        found = float(whole.get_epsilon_for_delta(goal))
        if not math.isfinite(found):
            return math.inf
        # On the safe side: the answer is checked by the other formula, and raised until that agrees.
        for places in range(48, 0, -4):
            raised = found * (1 + 2.0**-places) + 2.0**-1000
            if float(whole.get_delta_for_epsilon(raised)) <= goal:
                return raised
        return math.inf

    def _distribution(self, pld: Any, steps: int, delta: float) -> Any:
        """Return the dominating pair of (steps * step, delta)-DP; its losses are on the grid."""
        loss = steps * self.step
        here = (1 - delta) / (1 + math.exp(-loss))
        masses = {steps: here, -steps: (1 - delta) - here} if steps else {0: 1 - delta}
        return pld.PrivacyLossDistribution.create_from_rounded_probability(masses, delta, self.step)

    @property
    def _float_error(self) -> float:
        """Return a bound on what floats lose in a delta.

        Each of the N Fourier coefficients of k releases, at most 1, is off by a few k log2(N) u, which costs the sum
        over the grid at most sqrt(N) times as much; u = 2^-53. (2^-30 of the target covers the sums themselves.)
        """
        points = 2 * sum(steps * count for steps, _, count in self.parts) + 2
        transforms = sum(count + 1 for _, _, count in self.parts)
        return 4 * transforms * math.log2(points) * math.sqrt(points) * 2.0**-53


def _compose(x: Any, y: Any, cut: float) -> Any:
    return x.compose(y, tail_mass_truncation=cut)

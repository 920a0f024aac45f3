"""The best chain for a loss, with its own loss and a bound that no private mechanism is below."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hushcount.errors import InvalidParameter
from hushcount.mechanisms.chain.chain import Chain
from hushcount.numbers.arrays import UNIT, Floats
from hushcount.optimal_set.by_chain.bayes import best_for_weights
from hushcount.optimal_set.by_chain.directed import LEAST
from hushcount.optimal_set.by_chain.kinks import KinkThresholds
from hushcount.optimal_set.by_chain.loss_steps import LossSteps, StepsByDistance
from hushcount.optimal_set.by_chain.minimax import Minimax
from hushcount.optimal_set.by_chain.newton import least_worst_quantiles
from hushcount.optimal_set.by_chain.quantiles import QuantileThresholds
from hushcount.optimal_set.by_chain.thresholds import Thresholds
from hushcount.promise.curve import Curve
from hushcount.promise.gaussian import GaussianDP
from hushcount.promise.piecewise_linear import PiecewiseLinear
from hushcount.promise.several import SeveralPairs

__all__ = ["BestChain", "best_for_prior", "best_for_worst", "highest_losses", "tamed", "thresholds_of"]

LARGEST_EPSILON = Fraction(500)
"""Beyond, chances are below what floats hold."""

FEW_NODES, MANY_NODES = 64, 512
"""Thresholds (of a half, where the other is its mirror image) that are told apart: at first, and at last."""

_WIDE_ROUNDS, _LAST_ROUNDS, _LAST_ROUNDS_AT_NODES, _LAST_WIDTH = 6, 8, 2, 0.004
LARGEST_CHECKED = 2048
"""The largest n for which both bounds are taken after each round of the last kind, to stop as soon as they agree."""

_PROBE, _FAR = 64, 1.0

NEAR_ENOUGH = 5e-9
"""How far both bounds may be apart, relative to the loss, for a search to end."""

_ENOUGH, _ROUGHLY = 1e-10, 1e-4
_IDLE = 2


@dataclass(frozen=True, eq=False)
class BestChain:
    """A chain; its loss, rounded up; and a certified lower bound of the loss of every private mechanism."""

    mechanism: Chain
    loss: float
    lower_bound: float


def tamed(promise: Curve) -> Curve:
    """Return the promise, or one that implies it, with every epsilon at most 500."""
    if isinstance(promise, PiecewiseLinear):
        pairs = [(pair.epsilon, pair.delta) for pair in promise.all_pairs()]
        if any(epsilon > LARGEST_EPSILON for epsilon, _ in pairs):
            return SeveralPairs.of((min(epsilon, LARGEST_EPSILON), delta) for epsilon, delta in pairs)
    return promise


def thresholds_of(n: int, promise: Curve) -> Thresholds:
    """Return the places for thresholds on a promise's curve."""
    if isinstance(promise, GaussianDP):
        return QuantileThresholds(n, promise)
    if isinstance(promise, PiecewiseLinear):
        return KinkThresholds(n, promise)
    raise InvalidParameter("promise", None, "one or several (epsilon, delta), mu or rho")


def best_for_prior(promise: Curve, steps: LossSteps, weights: Floats) -> BestChain:
    """Minimise the mean loss; the weights are >= 0, and each within 2^-52 of the true one. Losses of l(i, i) are left
    to the caller."""
    thresholds = thresholds_of(steps.n, promise)
    found = best_for_weights(thresholds, steps, weights)
    mechanism = thresholds.chain_at(found.places)
    loss = float(weights @ highest_losses(thresholds, mechanism, steps))
    return BestChain(mechanism, loss * (1 + (steps.n + 8) * UNIT), found.lower_bound)


def best_for_worst(promise: Curve, steps: LossSteps, *, is_mirrored: bool) -> BestChain:
    """Minimise the worst loss. What costs least to find comes first, and ends the search if both bounds then agree."""
    search = _Search(thresholds_of(steps.n, promise), steps)
    thresholds = search.thresholds
    is_mirrored = is_mirrored and thresholds.has_middle
    free = steps.n // 2 if is_mirrored else steps.n
    if not free:
        search.learn(np.full(steps.n + 1, 1 / (steps.n + 1)))
    elif isinstance(thresholds, QuantileThresholds):
        found = least_worst_quantiles(thresholds.mu, steps, search.lift, is_mirrored=is_mirrored)
        search.try_chain(thresholds.chain_at(found.z.tolist()))
        search.learn(found.weights)
    elif isinstance(steps, StepsByDistance):
        search.compare_with_fewer(promise)
    if free and not search.is_done:
        search.by_programs(is_mirrored=is_mirrored)
    return BestChain(search.best, search.loss, search.lower_bound)


class _Search:
    """The best chain so far, with both bounds.

    Attributes:
        best, loss, lower_bound: as of `BestChain`; at first noise cut at one threshold for all.
        lift: a power of two that brings losses near 1.
    """

    def __init__(self, thresholds: Thresholds, steps: LossSteps) -> None:
        self.thresholds, self.steps = thresholds, steps
        self.best = thresholds.chain_at([thresholds.centre()] * steps.n)
        self.loss, self.lower_bound = self._worst(self.best), -math.inf
        self.lift = 2.0 ** -round(math.log2(max(self.loss - float(steps.base.max()), LEAST)))

    @property
    def is_done(self) -> bool:
        return self.loss - self.lower_bound <= NEAR_ENOUGH * abs(self.loss)

    def _worst(self, mechanism: Chain) -> float:
        base = self.steps.base
        losses = base + highest_losses(self.thresholds, mechanism, self.steps)
        return float((losses + 2 * UNIT * (np.abs(losses) + np.abs(base))).max())

    def try_chain(self, mechanism: Chain) -> None:
        """Keep a chain if it is better."""
        loss = self._worst(mechanism)
        if loss < self.loss:
            self.best, self.loss = mechanism, loss

    def learn(self, weights: Floats) -> None:
        """Keep the bound that weights of the true counts prove, if it is better."""
        steps = self.steps
        bound = best_for_weights(self.thresholds, steps, weights).lower_bound
        total, base = math.fsum(weights), math.fsum(weights * steps.base)
        slack = (steps.n + 16) * UNIT * (abs(bound) + math.fsum(weights * np.abs(steps.base)))
        value = (bound + base - slack) / total
        self.lower_bound = max(self.lower_bound, value - 4 * UNIT * abs(value))

    def compare_with_fewer(self, promise: Curve) -> None:
        """Take the bound of the same losses by distance for fewer counts, 0..m, where it is as large as this loss.

        Clamped to 0..m, any mechanism on 0..n has no larger losses in its first m + 1 rows, so what no mechanism on
        0..m undercuts, none on 0..n does. With a kink of g in the middle, bounds come near the loss of one threshold
        for all as fast as exp(-r m), and a small m tells r.
        """
        assert isinstance(self.steps, StepsByDistance)
        m = _PROBE
        while 2 * m <= self.steps.n:
            fewer = best_for_worst(promise, StepsByDistance(m, self.steps.rises[: m + 1]), is_mirrored=True)
            self.lower_bound = max(self.lower_bound, fewer.lower_bound)
            nearness = math.log(max(self.loss / max(self.loss - fewer.lower_bound, LEAST), 1.0))
            if self.is_done or m == 2 * MANY_NODES:  # beyond, nodes would blur the bound
                return
            m = 4 * m if nearness < _FAR else math.ceil(m * max(1.25, -1.1 * math.log(NEAR_ENOUGH) / nearness))
            m = min(m, 2 * MANY_NODES)

    def by_programs(self, *, is_mirrored: bool) -> None:
        program = Minimax(self.thresholds, self.steps, is_mirrored=is_mirrored)
        is_checked = self.steps.n <= LARGEST_CHECKED
        weights = np.full(self.steps.n + 1, 1 / (self.steps.n + 1))
        for x, rest, weights in _programs(program, self.lift) if program.free else []:
            self.try_chain(self.thresholds.chain(x, rest))
            if is_checked:
                self.learn(weights)
                if self.is_done:
                    return
        if not is_checked or not program.free:
            self.learn(weights)


def _programs(program: Minimax, lift: float) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield what is found with wide windows at few nodes, after a few rounds, and then each round with narrow ones at
    as many as there is time for."""
    many = min(program.free, MANY_NODES)
    for is_last, most, rounds, enough in (
        (False, min(many, FEW_NODES), _WIDE_ROUNDS, _ROUGHLY),
        (True, many, _LAST_ROUNDS if many == program.free else _LAST_ROUNDS_AT_NODES, _ENOUGH),
    ):
        before, idle = math.inf, 0
        if is_last:
            program.widths = np.maximum(program.widths, _LAST_WIDTH)
        for k in range(rounds):
            found = program.improve(lift, most, is_last=is_last)
            idle = 0 if program.value < before - enough * abs(before) else idle + 1
            before, is_done = min(before, program.value), program.is_settled or idle == _IDLE or k == rounds - 1
            if is_last or is_done:
                yield found
            if is_done:
                break


def highest_losses(thresholds: Thresholds, mechanism: Chain, steps: LossSteps) -> Floats:
    """Return upper bounds of loss of i - l(i, i) for all true counts."""
    losses = np.zeros(steps.n + 1)
    if steps.n:
        below, above = thresholds.upper_tails(mechanism)
        for k, tails in enumerate(below, 1):
            losses[k:] += steps.at_distance(k)[0] * tails
        for k, tails in enumerate(above):
            losses[: steps.n - k] += steps.at_distance(k)[1] * tails
    return losses * (1 + (2 * steps.n + 16) * UNIT) + (LEAST * 1e10 if losses.any() else 0.0)
